using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>The findings of <c>sc2bridge doctor</c> as JSON, which users attach to an issue.</summary>
/// <param name="Version">The version of the program.</param>
/// <param name="Findings">The results of the checks.</param>
/// <param name="Play">The comparison of the game with the simulated game; null if no game was played.</param>
/// <param name="Issue">The address that opens a new issue; null if there is nothing to report.</param>
internal sealed record DoctorReport(string Version, IReadOnlyList<FindingReport> Findings, GameCheckReport? Play, string? Issue)
{
    /// <summary>The same report without secrets, user names and home folders.</summary>
    internal DoctorReport Redact(AnonymousText redaction)
    {
        JsonTypeInfo<DoctorReport> shape = JsonReports.Default.DoctorReport;
        return RedactedJson.Redact(JsonSerializer.SerializeToNode(this, shape)!, redaction).Deserialize(shape)!;
    }
}

/// <summary>A finding in the JSON report.</summary>
/// <param name="Subject">What was checked.</param>
/// <param name="Verdict"><c>ok</c>, <c>note</c> or <c>problem</c>.</param>
/// <param name="Found">What was found.</param>
/// <param name="Advice">What the user can do; empty if the user need not do anything.</param>
internal sealed record FindingReport(string Subject, string Verdict, string Found, string Advice);
