using Sc2Bridge.Streaming.Logging;
using Frame = Sc2Bridge.Streaming.Frame;

namespace Sc2Bridge.Encoding.Columns;

/// <summary>Writes each frame's observation as columns.</summary>
internal sealed class ColumnsProbe : IFrameProbe
{
    /// <inheritdoc/>
    public void Measure(Frame frame, ref CodecFigures figures)
    {
        try
        {
            var columns = ColumnsWriter.Write(frame.Observation.Span);
            figures.ColumnsBytes = columns.Length;
            columns.Release();
        }
        catch (EncodingException)
        {
            // The bytes are no observation: an empty cell.
        }
    }
}
