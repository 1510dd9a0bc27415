using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>What <c>sc2bridge doctor</c> found, for machines, and to be attached to an issue.</summary>
/// <param name="Version">The program's.</param>
/// <param name="Findings">What was looked at.</param>
/// <param name="Play">The game beside the simulated one; null where none was played.</param>
internal sealed record DoctorReport(string Version, IReadOnlyList<FindingReport> Findings, GameCheckReport? Play);

/// <summary>A finding, for machines.</summary>
/// <param name="Subject">What it is about.</param>
/// <param name="Verdict"><c>ok</c>, <c>note</c> or <c>problem</c>.</param>
/// <param name="Found">What is there.</param>
/// <param name="Advice">What to do about it.</param>
internal sealed record FindingReport(string Subject, string Verdict, string Found, string Advice);
