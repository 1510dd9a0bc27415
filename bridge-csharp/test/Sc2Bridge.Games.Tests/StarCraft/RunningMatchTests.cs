using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.StarCraft;

/// <summary>A match that is under way is followed from where it is, and left where it is then.</summary>
public sealed class RunningMatchTests
{
    [Fact]
    public async Task A_stepped_match_is_moved_on_step_by_step_and_found_there_again()
    {
        await using var game = await MatchUnderWay.StartAsync(new SimulatorOptions(), realtime: false, 50, Ct);
        Assert.Equal([51, 52, 53], await LoopsAsync(game, 3, realtime: false));
        Assert.Equal([54, 55], await LoopsAsync(game, 2, realtime: false));
    }

    [Fact]
    public async Task A_match_in_real_time_is_followed_by_its_own_clock()
    {
        await using var game = await MatchUnderWay.StartAsync(new SimulatorOptions(), realtime: true, 0, Ct);
        var loops = await LoopsAsync(game, 3, realtime: true);
        Assert.Equal(loops.Distinct().Order(), loops);
    }

    [Fact]
    public async Task A_game_without_a_match_says_so()
    {
        await using var game = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        Assert.Contains("is in no match (Launched)", await ProblemAsync(game), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_match_that_is_over_says_so()
    {
        await using var game = await MatchUnderWay.StartAsync(
            new SimulatorOptions { LongestMatch = 40 }, realtime: false, 60, Ct);
        Assert.Contains("is over: start another one", await ProblemAsync(game), StringComparison.Ordinal);
    }

    private static async Task<List<uint>> LoopsAsync(SimulatedGameServer game, int count, bool realtime)
    {
        await using var source = new RunningMatchSource(new GameAddress("127.0.0.1", game.Port));
        await source.StartAsync(Ct);
        Assert.Equal([1u], source.Description.Perspectives);
        Assert.Equal([V1.PlayerKind.Api, V1.PlayerKind.Computer], source.Description.Players.Select(player => player.Kind));
        Assert.Equal(realtime, source.Description.Realtime);
        List<uint> loops = [];
        while (loops.Count < count)
        {
            var frame = (await source.NextAsync(Ct))!;
            loops.Add(frame.Header.GameLoop);
            frame.Release();
        }

        return loops;
    }

    private static async Task<string> ProblemAsync(SimulatedGameServer game)
    {
        await using var source = new RunningMatchSource(new GameAddress("127.0.0.1", game.Port));
        return (await Assert.ThrowsAsync<GameException>(() => source.StartAsync(Ct))).Message;
    }
}
