using System.Security.Cryptography;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.StarCraft;

/// <summary>The same source with the simulated game.</summary>
public sealed class SimulatedMatchTests
{
    [Fact]
    public async Task A_simulated_match_is_followed_twice_alike_and_queried_meanwhile()
    {
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var settings = new MatchSettings { Seed = 3, StepSize = 8 };
        var first = await FollowAsync(game, settings, steps: 20);
        Assert.Equal(first, await FollowAsync(game, settings, steps: 20));
    }

    [Fact]
    public async Task A_simulated_match_ends_with_results_at_its_longest()
    {
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions { LongestMatch = 100 }, Ct);
        await using var source = new StarCraftSource(
            new MatchSettings { StepSize = 30 }, new GameAddress("127.0.0.1", game.Port));
        await source.StartAsync(Ct);
        uint loop = 0;
        while (await source.NextAsync(Ct) is { } frame)
        {
            loop = frame.Header.GameLoop;
            frame.Release();
        }

        Assert.True(loop >= 100);
        Assert.Equal([1u, 2], source.End!.Results.Select(result => result.PlayerId));
    }

    [Fact]
    public void A_map_that_is_listed_as_a_file_and_by_its_name_is_suggested_once() => Assert.StartsWith(
        "There is no map 'Cinder Fort'. The maps are: Cinder Fortress LE, Salt Basin LE. ",
        MapNames.Unknown("Cinder Fort", ["CinderFortressLE.SC2Map", "SaltBasinLE.SC2Map", "Cinder Fortress LE", "Salt Basin LE"]).Message,
        StringComparison.Ordinal);

    [Fact]
    public void A_map_is_found_without_its_LE() =>
        Assert.Equal("Salt Basin LE", MapName.Find("salt basin", ["Salt Basin Large", "Salt Basin LE"]));

    [Theory]
    [Trait("Suite", "Long")]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(SimulatorDefaults.Seed)]
    public async Task The_usual_match_has_a_winner_before_its_step_limit(uint seed)
    {
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var settings = new MatchSettings { Seed = seed, StepSize = 100 };
        await using var source = new StarCraftSource(settings, new GameAddress("127.0.0.1", game.Port));
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(source, hub, settings.Rate, settings.StepLimit / settings.StepSize);
        await runner.StartAsync(Ct);
        var end = await runner.RunAsync(Ct);
        Assert.Equal(V1.EndReason.Finished, end.Reason);
        Assert.Single(end.Results, result => result.Result == Result.Victory);
    }

    [Fact]
    public async Task A_simulated_match_runs_in_real_time()
    {
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var source = new StarCraftSource(
            new MatchSettings { Rate = StepRate.GameClock }, new GameAddress("127.0.0.1", game.Port));
        using var hub = new Hub(new HubOptions());
        var runner = new MatchRunner(source, hub, StepRate.GameClock, stepLimit: 4);
        await runner.StartAsync(Ct);
        var end = await runner.RunAsync(Ct);
        Assert.Equal(V1.EndReason.StepLimit, end.Reason);
        Assert.True(end.GameLoop >= 3);
    }

    private static async Task<List<string>> FollowAsync(GameApiServer game, MatchSettings settings, int steps)
    {
        await using var source = new StarCraftSource(settings, new GameAddress("127.0.0.1", game.Port));
        await source.StartAsync(Ct);
        Assert.True(source.Description.Simulated);
        Assert.Equal("Cinder Fortress LE", source.Description.MapName);
        var hashes = new List<string>();
        for (var step = 0; step < steps; step++)
        {
            var frame = await source.NextAsync(Ct);
            Assert.Equal((uint)step * settings.StepSize, frame!.Header.GameLoop);
            hashes.Add(Convert.ToHexString(SHA256.HashData(frame.Observation.Span)));
            frame.Release();
            var answer = await source.RequestAsync(0, new Request { Query = new RequestQuery() }, Ct);
            Assert.NotNull(answer.Query);
        }

        return hashes;
    }
}
