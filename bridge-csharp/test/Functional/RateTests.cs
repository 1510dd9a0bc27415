using System.Text.Json;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A match at each kind of pace, and what it leaves in its logs.</summary>
public sealed class RateTests
{
    private const int Steps = 24;

    private static readonly string[] _timed =
    ["proto_parse_us", "proto_serialize_us", "json_write_us", "json_parse_us", "json_formatter_us", "json_parser_us"];

    private static readonly string[] _columns =
    [
        "step", "game_loop", "game_us", "proto_bytes", "json_bytes", "zstd_bytes", "columns_bytes",
        "proto_parse_us", "proto_serialize_us", "json_write_us", "json_parse_us", "json_formatter_us", "json_parser_us",
        "subscribers", "dropped", "perspective",
    ];

    [Theory]
    [Trait("Suite", "Quick")]
    [InlineData("max", 0)]
    [InlineData("16", 16, Traits = ["Suite", "Long"])]
    [InlineData("22.4", 22.4)]
    [InlineData("realtime", 0)]
    public async Task A_match_at_a_rate_leaves_whole_logs(string rate, double hz)
    {
        using var folder = new MatchFolder();
        var ended = await folder.PlayAsync(
            "--rate", rate, "--steps", $"{Steps}", "--step-size", "2", "--codec-log", "full",
            "--agent", "sc2bridge.agents:Watcher@grpc", "--agent", "sc2bridge.agents:Watcher@json");
        ended.Well();
        Assert.Contains("simulated", ended.Output, StringComparison.Ordinal);

        var steps = folder.Steps();
        Assert.Equal(_columns, steps.Columns);
        steps.Complete(Steps);
        Assert.Equal(Steps, steps.Rows.Count);
        double loop = -1;
        foreach (var row in steps.Rows)
        {
            double Cell(string column) => LogTable.Number(row, column) ?? double.NaN;
            Assert.True(rate == "realtime" ? Cell("game_loop") > loop : Cell("game_loop") == 2 * Cell("step"));
            loop = Cell("game_loop");
            Assert.InRange(Cell("game_us"), 1, 60e6);
            Assert.InRange(Cell("proto_bytes"), 40_000, 60_000);
            Assert.Equal(2, Cell("subscribers"));
            Assert.Equal(0, Cell("dropped"));
            if (rate != "realtime")
            {
                // In real time a step that the log had no time to measure has empty cells.
                Assert.True(Cell("json_bytes") > Cell("proto_bytes"));
                Assert.InRange(Cell("columns_bytes"), 30_000, 120_000);
                Assert.InRange(Cell("zstd_bytes"), 1, Cell("proto_bytes") / 2);
                foreach (var codec in _timed)
                {
                    Assert.InRange(Cell(codec), 1, 60e6);
                }
            }
        }

        folder.AgentsHeard("watcher-1-grpc", "watcher-2-json");
        var text = await File.ReadAllTextAsync(Path.Combine(folder.Out, "summary.json"), Ct);
        using var summary = JsonDocument.Parse(text);
        Assert.True(summary.RootElement.GetProperty("simulated").GetBoolean());
        Assert.Equal(rate, summary.RootElement.GetProperty("rate").GetString());
        if (hz > 0)
        {
            // Steps are due at absolute times: however busy the machine is, none comes before its own.
            Assert.True(summary.RootElement.GetProperty("seconds").GetDouble() >= (Steps - 1) / hz);
        }
    }
}
