namespace Sc2Bridge.Streaming.Logging;

/// <summary>Measures one of the bridge's own codecs for the step log.</summary>
public interface IFrameProbe
{
    /// <summary>
    /// Fills in encodings that were made for subscribers. May be called while another frame is measured.
    /// </summary>
    /// <param name="frame">Held by the caller.</param>
    /// <param name="figures">Figures of encodings that were not made stay as they are.</param>
    void Read(ObservationFrame frame, ref CodecFigures figures);

    /// <summary>
    /// Encodes the frame anew and fills in what is missing. For one thread at a time; call it for the frame before
    /// first, as some encodings are made of the difference.
    /// </summary>
    /// <param name="frame">Held by the caller.</param>
    /// <param name="figures">What is not measured, also because the bytes are no observation, stays as it is.</param>
    void Measure(ObservationFrame frame, ref CodecFigures figures);
}
