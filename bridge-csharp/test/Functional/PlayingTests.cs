using System.Text.Json;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Agents that play a side against a computer.</summary>
public sealed class PlayingTests
{
    private static readonly string[] _players = ["--player", "agent:zerg", "--player", "computer:terran:Easy"];

    [Theory]
    [InlineData("grpc+columns")]
    [InlineData("json+columns", Traits = ["Suite", "Long"])]
    public async Task An_agent_in_lockstep_wins(string way)
    {
        using var folder = new MatchFolder();
        var did = await PlayAsync(folder, way, "--step-size", "4", "--steps", "6000");
        Assert.Equal((1, true), (did.Won, did.Results.GetValueOrDefault("1") > 50));
        folder.Steps().Complete(500);

        // Each action has its row, in the agents' log by the step that it answers, in the recording with its sender.
        var rows = folder.Agents().Rows;
        Assert.Equal(did.Sent, rows.Sum(row => LogTable.Number(row, "actions") ?? 0));
        using var recording = RecordingReader.Open(Path.Combine(folder.Out, "match.mcap"));
        Assert.Equal([1u], recording.Description.Perspectives);
        var acted = recording.Actions().ToList();
        Assert.Equal(did.Sent, acted.Sum(one => one.Outcome.Outcomes.Count));
        Assert.All(acted, one => Assert.Equal(($"rusher-1-{way}", 1u), (one.Agent, one.Perspective)));
        Assert.All(acted, one => Assert.Equal(one.Step, one.Outcome.Step));
        Assert.NotEmpty(recording.Requests());
    }

    [Theory]
    [InlineData("grpc+columns")]
    [InlineData("json+columns", Traits = ["Suite", "Long"])]
    public async Task An_agent_in_real_time_builds_and_moves(string way)
    {
        using var folder = new MatchFolder();
        var did = await PlayAsync(folder, way, "--rate", "realtime", "--steps", "200");
        Assert.True(did.Results.GetValueOrDefault("1") >= 2, $"it did {did.Results.GetValueOrDefault("1")} things");
        Assert.True(did.Moved > 3, $"it moved by {did.Moved} cells");
    }

    [Fact]
    public async Task Players_that_cannot_be_are_refused_in_one_line()
    {
        using var folder = new MatchFolder();
        var observed = await folder.PlayAsync([.. _players, "--observe", "1"]);
        observed.Says(2, "--observe 1: if an agent or a bot plays, everybody sees what its side sees");
        using var match = folder.Match(["--steps", "5", "--agent", "rusher:Rusher"], [("COLLECT", folder.Path)]);
        var watched = await match.EndAsync();
        Assert.Contains("no agent plays here", watched.Told, StringComparison.Ordinal);
        Assert.Equal(1, watched.ExitCode);
    }

    private static async Task<Deeds> PlayAsync(MatchFolder folder, string way, params string[] more)
    {
        using var match = folder.Match([.. _players, "--agent", $"rusher:Rusher@{way}", .. more], [("COLLECT", folder.Path)]);
        (await match.EndAsync()).Well();
        await using var told = File.OpenRead(Path.Combine(folder.Path, $"rusher-1-{way}.json"));
        var did = await JsonSerializer.DeserializeAsync<Deeds>(told, JsonSerializerOptions.Web, Ct);
        Assert.Equal(did!.Sent, did.Results.Values.Sum());
        return did;
    }

    /// <summary>The agent's report.</summary>
    /// <param name="Sent">Actions.</param>
    /// <param name="Results">How often each of the game's answers came.</param>
    /// <param name="Won">1 if it won.</param>
    /// <param name="Moved">The distance in cells that its first overlord moved.</param>
    private sealed record Deeds(int Sent, IReadOnlyDictionary<string, int> Results, int? Won, double Moved);
}
