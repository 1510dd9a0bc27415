namespace Sc2Bridge.Streaming.Logging;

/// <summary>One of the bridge's own codecs, as the step log has it measured.</summary>
public interface IFrameProbe
{
    /// <summary>Fills in what the frame's subscribers had made of it. May be called while another is measured.</summary>
    /// <param name="frame">Held by the caller.</param>
    /// <param name="figures">What was not made stays as it is.</param>
    void Read(ObservationFrame frame, ref CodecFigures figures);

    /// <summary>
    /// Makes its form of the frame anew and fills in what is missing. For one thread at a time, and to be called for a
    /// frame's predecessor first: some forms are made of the difference.
    /// </summary>
    /// <param name="frame">Held by the caller.</param>
    /// <param name="figures">What is not measured, also because the bytes are no observation, stays as it is.</param>
    void Measure(ObservationFrame frame, ref CodecFigures figures);
}
