
namespace Sc2Bridge.Functional.Tests;

/// <summary>The playing example agent, started from the folder of examples as a user starts it.</summary>
[Trait("Suite", "Long")]
public sealed class ExampleAgentTests
{
    private static readonly string _package = Path.Combine(PeerEnvironment.RepositoryRoot, "agent-python");

    [Theory]
    [InlineData("terran", "zerg", "grpc")]
    [InlineData("zerg", "protoss", "grpc+columns")]
    [InlineData("protoss", "zerg", "json+columns")]
    public Task It_wins_in_lockstep(string race, string enemy, string way) => WinsAsync(race, enemy, way);

    // It takes as long as the match, about 100 s.
    [Fact]
    public Task It_wins_in_real_time() => WinsAsync("terran", "zerg", "json+columns", "--rate", "realtime");

    private static async Task WinsAsync(string race, string enemy, string way, params string[] more)
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(
            [
                "--player", $"agent:{race}", "--player", $"computer:{enemy}:VeryEasy", "--steps", "6000",
                "--agent", $"worker_rush:WorkerRush@{way}", .. more,
            ],
            [("PYTHONPATH", $"{_package}/src{Path.PathSeparator}{_package}/examples")]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains($"[workerrush-1-{way}] victory at loop", ended.Told, StringComparison.Ordinal);
    }
}
