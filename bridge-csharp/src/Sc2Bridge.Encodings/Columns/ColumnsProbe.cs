using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encodings.Columns;

/// <summary>Writes each frame's observation as columns.</summary>
internal sealed class ColumnsProbe : IFrameProbe
{
    /// <inheritdoc/>
    public void Read(ObservationFrame frame, ref CodecFigures figures) =>
        figures.ColumnsBytes ??= frame.FigureOf(EncodingKind.Columns)?.Bytes;

    /// <inheritdoc/>
    public void Measure(ObservationFrame frame, ref CodecFigures figures)
    {
        try
        {
            var columns = ColumnsWriter.Write(frame.Observation.Span);
            figures.ColumnsBytes ??= columns.Length;
            columns.Release();
        }
        catch (EncodingException)
        {
            // The bytes are no observation: an empty cell.
        }
    }
}
