using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Cli.Tests;

/// <summary>What the commands print can be read: in terminals of several widths and in a file.</summary>
public sealed class TableTests
{
    public static TheoryData<int> Widths => PrintedTable.Widths;

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_a_match(int width)
    {
        var read = new CodecLatency("protobuf read", 1_000_000, 12.3, 123_456.7, 12_345_678.9);
        var report = new MatchReport(
            "a match", "Cinder Fortress LE", Simulated: false, "5.0.13.93333", "max", 1, 1, "step limit",
            new Dictionary<uint, string>(), 16_860, 12_345.6, "a runtime",
            new MatchSummary(
                1_000_000,
                [new("ws.proto", 1_000_000, 1e6, 1e7, 1e8, 1234.5, 12_345.6)],
                [read],
                [new("an-agent-with-a-long-name-1", "ws.json", read, 12_345_678.9, 98_765_432.1)]),
            null,
            null)
        {
            Proxy = [new(1, [new RequestDelay("observation", 1_000_000, 1e6, 1e6, 1e7, 1e8, 1e7)])],
        };
        Assert.All(SummaryReport.Tables(report), table => PrintedTable.HoldsEveryCell(table, width));
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_an_analysis(int width)
    {
        var side = new FightSide(1, 100_000, 50_000, 200, [new(48, "Marine", 100), new(32, "SiegeTankSieged", 20), new(49, "Reaper", 1), new(33, "SiegeTank", 1)]);
        var player = new PlayerAnalysis(
            2, true, [new("OrbitalCommandFlying", 100.5, 100.5, 20_000, true, 21_000, null)], [new(1, 50_000)],
            [new("minerals", 1, 50_000, 100_000)], 12_345.6, 12_345.6, [new("CantFindPlacementLocation", 100_000, 100_000)]);
        var analysis = new MatchAnalysis(1, 0, 60_000, [new(40_000, 50_000, 100.5, 100.5, 2, [side, side with { PlayerId = 2 }])], [player]);
        Assert.All(AnalysisTables.Of(analysis), table => PrintedTable.HoldsEveryCell(table, width));
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_a_recording(int width)
    {
        var whole = RecordingInspection.Inspect(
            Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "gap.mcap"), Ct);
        var large = whole with
        {
            Channels = [.. whole.Channels.Select(one => one with { Messages = 10_000_000, RawBytes = (long)1e13 })],
            Measures = [.. whole.Measures.Select(one => one with { Measured = 10_000_000, Max = 9e9, P99 = 9e9 })],
        };
        Assert.All(
            InspectTables.Tables(whole).Concat(InspectTables.Tables(large)).Where(table => table.Rows.Count > 0),
            table => PrintedTable.HoldsEveryCell(table, width));
    }

    /// <summary>In a match of api players each bot makes steps of its own: the description's size is 0.</summary>
    [Theory]
    [InlineData(0u, "each bot's own steps, rate max")]
    [InlineData(1u, "1 loop a step, rate max")]
    [InlineData(8u, "8 loops a step, rate max")]
    public void A_recordings_steps_are_told_as_they_were(uint stepSize, string told)
    {
        var whole = RecordingInspection.Inspect(
            Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "gap.mcap"), Ct);
        var facts = InspectTables.FactLines(whole with { Match = whole.Match with { StepSize = stepSize, Rate = "max" } });
        Assert.EndsWith($", {told}", facts.Single(fact => fact.Name == "match").Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Columns_without_room_follow_below_with_the_rows_names()
    {
        var table = new TextTable("a title", ["name"], "first figure", "second figure");
        table.AddRow("a name of some length", "1,234.5", "6.7");
        Assert.Equal(
            [
                "a title",
                "name                   first figure", "─────────────────────  ────────────", "a name of some length       1,234.5",
                "name                   second figure", "─────────────────────  ─────────────", "a name of some length            6.7",
            ],
            table.Lines(40));
        Assert.Equal(4, table.Lines(80).Count);
    }

    [Fact]
    public void A_cell_of_any_text_stays_on_its_line()
    {
        var table = new TextTable("\u001b[2Jtitle", ["name"], "number");
        table.AddRow("a\nb\u202e", "1");
        Assert.Equal(@"\x1b[2Jtitle", table.Title);
        Assert.Equal(@"a\nb\u202e       1", table.Lines(80)[^1]);
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_recordings_that_are_made(int width)
    {
        var pass = new RecordPass("/replays/Cinder Fortress LE (12).SC2Replay", 2, "/out/Cinder Fortress LE (12)-2.mcap", true);
        var outcome = new RecordOutcome(pass, RecordEnding.WasThere)
        {
            Player = "player 2",
            Result = "Undecided",
            GameLoop = 1_000_000,
            Observations = 1_000_000,
            Bytes = (long)1e12,
            Duration = TimeSpan.FromHours(3),
        };
        PrintedTable.HoldsEveryCell(RecordDisplay.Table([outcome]), width);
    }

    [Theory]
    [MemberData(nameof(Widths))]
    public void Of_a_series(int width)
    {
        var results = new Dictionary<uint, string> { [1] = "Victory", [2] = "Defeat" };
        var game = new SeriesGame(
            1000, "a match", "a folder", "Cinder Fortress LE", uint.MaxValue, "finished", false, results, 1_000_000, 1_000_000,
            12_345.6, null);
        PrintedTable.HoldsEveryCell(Series.Table([game]), width);
    }
}
