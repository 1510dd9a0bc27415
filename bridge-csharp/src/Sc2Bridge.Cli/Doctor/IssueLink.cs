using System.Reflection;
using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>Makes the address that opens a new issue of the project with a title and a text.</summary>
internal static class IssueLink
{
    // GitHub refuses longer addresses with the status 414. The limit is not documented; it was 8 KiB in 2026.
    private const int Longest = 6000;

    /// <summary>The web address of the project's repository.</summary>
    internal static string Repository { get; } = typeof(IssueLink).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .First(one => one.Key == "RepositoryUrl").Value!;

    /// <summary>Makes the address for a report.</summary>
    /// <param name="report">The report of <c>doctor --play</c>, without secrets.</param>
    /// <param name="file">The name of the report's file.</param>
    internal static string Make(DoctorReport report, string file)
    {
        var play = report.Play;
        var title = play is null ? "doctor --play: the game did not start" : $"doctor --play on {play.GameVersion} (build {play.BaseBuild})";
        var lines = report.Findings.Select(finding => $"- {finding.Verdict}: {finding.Subject}: {finding.Found}")
            .Concat(play is null ? [] : PlayFindings.DescribeDifferences(play).Select(line => $"- {line}"));
        var body = $"I have attached `{file}`. My system, and how I installed the game:\n";
        var address = Address(body);
        foreach (var line in lines)
        {
            body += "\n" + line;
            if (Address(body) is not { Length: <= Longest } longer)
            {
                break;
            }

            address = longer;
        }

        return address;

        string Address(string text) =>
            $"{Repository}/issues/new?title={Uri.EscapeDataString(title)}&body={Uri.EscapeDataString(text)}";
    }
}
