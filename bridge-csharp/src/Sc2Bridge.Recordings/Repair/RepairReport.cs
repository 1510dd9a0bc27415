namespace Sc2Bridge.Recordings;

/// <summary>The result of a repair.</summary>
/// <param name="Chunks">The number of copied chunks.</param>
/// <param name="Observations">The number of copied observations of all perspectives.</param>
/// <param name="Messages">The number of copied messages.</param>
/// <param name="LeftOut">A line for each part of the file that was not copied, with its position and the reason.</param>
public sealed record RepairReport(long Chunks, long Observations, long Messages, IReadOnlyList<string> LeftOut);
