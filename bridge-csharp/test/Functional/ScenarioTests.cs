using System.Text.Json;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Scenarios, played by the example agent that fights them.</summary>
public sealed class ScenarioTests
{
    private static readonly string _package = Path.Combine(PeerEnvironment.RepositoryRoot, "agent-python");

    [Fact]
    public async Task An_agent_wins_each_game_of_a_series_and_leaves_the_files_of_any_match()
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(
            [
                "--scenario", "3m", "--games", "2",
                "--player", "agent:terran", "--player", "computer:terran:VeryHard", "--agent", "focus_fire:FocusFire@grpc+columns",
            ],
            [("PYTHONPATH", $"{_package}/src{Path.PathSeparator}{_package}/examples")]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains("2 games, 0 aborted; player 1 won 2", ended.Output, StringComparison.Ordinal);
        using var summary = JsonDocument.Parse(File.ReadAllText(Path.Combine(folder.Out, "summary.json")));
        Assert.All(summary.RootElement.GetProperty("games").EnumerateArray(), game => Assert.Equal("3m", game.GetProperty("map").GetString()));
        using var recording = RecordingReader.Open(Path.Combine(folder.Out, "game-002", "match.mcap"));
        Assert.Equal("3m", recording.Description.MapName);
        Assert.Equal(V1.EndReason.Finished, recording.ReadEnd()?.Reason);
        Assert.NotEmpty(recording.Actions());
    }
}
