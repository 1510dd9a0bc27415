using Sc2Bridge.Games;

namespace Sc2Bridge.Cli.Tests;

/// <summary>The link that opens an issue.</summary>
public sealed class IssueLinkTests
{
    [Fact]
    public void A_long_report_is_cut_at_a_line()
    {
        var link = Make(400);
        Assert.InRange(link.Length, 5000, 6000);
        var text = Uri.UnescapeDataString(link);
        Assert.Contains("title=doctor --play on 4.10.0 & (build 75689)&body=I have attached `report.json`", text, StringComparison.Ordinal);
        Assert.Contains("\n- new: field field 1: the game: missing; simulated: 60 times (bridge)\n", text, StringComparison.Ordinal);
        Assert.EndsWith("(bridge)", text, StringComparison.Ordinal);
        Assert.Contains("%0A", link, StringComparison.Ordinal);
        Assert.DoesNotContain(' ', link);
    }

    [Fact]
    public void A_short_report_is_complete() =>
        Assert.EndsWith("field 3: the game: missing; simulated: 60 times (bridge)", Uri.UnescapeDataString(Make(3)), StringComparison.Ordinal);

    [Fact]
    public void A_report_of_a_game_that_did_not_start_has_the_findings()
    {
        var link = IssueLink.Make(Report(1, "a map") with { Play = null }, "report.json");
        var text = Uri.UnescapeDataString(link);
        Assert.Contains("/issues/new?title=doctor --play: the game did not start&body=", text, StringComparison.Ordinal);
        Assert.EndsWith("\n- ok: maps: a map", text, StringComparison.Ordinal);
    }

    [Fact]
    public void No_text_of_the_report_contains_a_secret()
    {
        var redacted = Report(1, "/home/ann/SC2 with --token 0123456789abcdef").Redact(new AnonymousText("/home/ann", "ann", isWindows: false));
        Assert.Equal("~/SC2 with --token [removed]", redacted.Play!.Map);
        Assert.Equal("~/SC2 with --token [removed]", Assert.Single(redacted.Findings).Found);
        Assert.Equal("4.10.0 &", redacted.Play.GameVersion);
    }

    private static string Make(int differences) => IssueLink.Make(Report(differences, "a map"), "report.json");

    private static DoctorReport Report(int differences, string map) => new(
        "0.1.0",
        [new FindingReport("maps", "ok", map, "")],
        new GameCheckReport
        {
            GameVersion = "4.10.0 &",
            DataVersion = "",
            BaseBuild = 75689,
            DataBuild = 75689,
            Simulated = false,
            Map = map,
            Parts = [],
            Observations = 60,
            CommonFields = 1,
            LoopsPerSecond = null,
            SimulatedLoopsPerSecond = null,
            Requests = 0,
            RequestsNotCompared = 0,
            Differences = [.. Enumerable.Range(1, differences).Select(n => new GameDifference("field", $"field {n}", ["bridge"], "missing", "60 times"))],
        },
        null);
}
