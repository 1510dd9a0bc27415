namespace Sc2Bridge.Recordings;

/// <summary>What came of a repair.</summary>
/// <param name="Chunks">Chunks of the file that were kept.</param>
/// <param name="Observations">Observations that were kept, of all players.</param>
/// <param name="Messages">Messages that were kept.</param>
/// <param name="LeftOut">A line for each stretch of the file that was not, from where on and why.</param>
public sealed record RepairReport(long Chunks, long Observations, long Messages, IReadOnlyList<string> LeftOut);
