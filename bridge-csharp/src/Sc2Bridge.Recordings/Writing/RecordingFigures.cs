namespace Sc2Bridge.Recordings.Writing;

/// <summary>How a recording does, at one moment.</summary>
/// <param name="Bytes">Of the file: what the system has taken.</param>
/// <param name="Observations">Recorded; those of a chunk that is open too.</param>
/// <param name="Gaps">Stretches of observations that are missing.</param>
/// <param name="MissingObservations">Observations that are missing in them.</param>
/// <param name="MissingRows">
/// Rows of the step log, and agents' requests and actions, that came faster than they could be recorded, or that readers
/// would refuse.
/// </param>
/// <param name="LeftOutRequests">
/// Agents' requests and actions that have not even a line, because their sender had sent too many.
/// </param>
/// <param name="Problem">Why nothing more is recorded, in one line; null where all is well.</param>
public readonly record struct RecordingFigures(
    long Bytes, long Observations, long Gaps, long MissingObservations, long MissingRows,
    long LeftOutRequests, string? Problem);
