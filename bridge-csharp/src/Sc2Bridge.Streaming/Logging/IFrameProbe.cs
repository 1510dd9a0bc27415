namespace Sc2Bridge.Streaming.Logging;

/// <summary>Measures one of the bridge's own codecs for the step log.</summary>
public interface IFrameProbe
{
    /// <summary>Reads the figures of encodings that were made for subscribers. Another thread may measure another frame during the call.</summary>
    /// <param name="frame">The caller holds a reference to it.</param>
    /// <param name="figures">Receives the figures. If an encoding was not made, its figures are not changed.</param>
    void Read(ObservationFrame frame, ref CodecFigures figures);

    /// <summary>
    /// Encodes the frame again and fills in the missing figures. Call it on one thread at a time, and for the previous
    /// frame first, because some encodings depend on the previous frame.
    /// </summary>
    /// <param name="frame">The caller holds a reference to it.</param>
    /// <param name="figures">Receives the figures. A figure is not changed if it cannot be measured, for example if the bytes are not an observation.</param>
    void Measure(ObservationFrame frame, ref CodecFigures figures);
}
