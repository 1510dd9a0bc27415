namespace Sc2Bridge.Recordings.Writing;

/// <summary>The figures of a recording at one moment.</summary>
/// <param name="Bytes">The bytes written to the file.</param>
/// <param name="Observations">The number of recorded observations, including those in the open chunk.</param>
/// <param name="Gaps">The number of gaps.</param>
/// <param name="MissingObservations">The number of observations that are missing in the gaps.</param>
/// <param name="MissingRows">
/// The number of step log rows, requests and actions that are missing, because they arrived too fast or were too large for readers.
/// </param>
/// <param name="LeftOutRequests">
/// The number of agents' requests and actions that are not recorded at all, because they exceed the limits of what clients can add to the recording.
/// </param>
/// <param name="Problem">Why recording has stopped, in one line; null if recording continues.</param>
public readonly record struct RecordingFigures(
    long Bytes, long Observations, long Gaps, long MissingObservations, long MissingRows,
    long LeftOutRequests, string? Problem);
