using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.Replays;

/// <summary>Replays of the simulated game, compared with their matches.</summary>
public sealed class SimulatedReplayTests
{
    private const uint Loops = 240;

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(2, 8)]
    public async Task A_replay_shows_byte_for_byte_what_the_match_showed(uint observe, uint stepSize)
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        var address = new GameAddress("127.0.0.1", server.Port);
        var settings = new MatchSettings { Seed = SimulatorDefaults.Seed, StepSize = stepSize, Observe = observe };
        List<byte[]> played;
        ResponseGameInfo info;
        await using (var match = new StarCraftSource(settings, address))
        {
            await match.StartAsync(Ct);
            played = await ObserveAsync(match, (int)(Loops / stepSize) + 1);
            info = match.Description.GameInfo;
        }

        await using var replay = Source(address, new ReplaySettings { StepSize = stepSize, Observe = observe });
        await replay.StartAsync(Ct);
        var watched = await ObserveAsync(replay, int.MaxValue);

        // The replay ends with its results. The match continued after the replay was saved.
        Assert.Equal(played.SkipLast(1).Select(Convert.ToHexString), watched.SkipLast(1).Select(Convert.ToHexString));
        Assert.StartsWith(Convert.ToHexString(played[^1]), Convert.ToHexString(watched[^1]));
        Assert.Equal(info, replay.Description.GameInfo);
        Assert.True(replay.Description.Simulated);
        Assert.Equal(
            ["1 Computer Terran VeryHard", "2 Computer Zerg VeryHard"],
            replay.Description.Players.Select(one => $"{one.PlayerId} {one.Kind} {one.Race} {one.Difficulty}"));
        Assert.Equal((V1.EndReason.Finished, Loops), (replay.End!.Reason, replay.End.GameLoop));
        Assert.Equal([Result.Undecided, Result.Undecided], replay.End.Results.Select(result => result.Result));
    }

    [Fact]
    public async Task Agents_ask_it_as_a_match_and_the_game_goes_on_to_the_next_replay()
    {
        await using var server = await SimulatedGameServer.StartAsync(new SimulatorOptions(), Ct);
        await using var game = new ReplayGame(new GameAddress("127.0.0.1", server.Port));
        for (var pass = 0u; pass < 3; pass++)
        {
            await using var source = new ReplaySource(
                ReadMade(Loops), new ReplaySettings { Observe = pass, StepSize = 40 }, game, keepsGame: true);
            await source.StartAsync(Ct);
            Assert.Equal(3, (await ObserveAsync(source, 3)).Count);
            var answer = await source.RequestAsync(pass, new Request { Query = new RequestQuery() }, Ct);
            Assert.NotNull(answer.Query);
        }
    }

    private static ReplaySource Source(GameAddress address, ReplaySettings settings) =>
        new(ReadMade(Loops), settings, new ReplayGame(address));

    private static Replay ReadMade(uint loops)
    {
        var bytes = SimulatedReplay.Make(loops);
        return new Replay("Made.SC2Replay", ByteString.CopyFrom(bytes), ReplayHead.Read(bytes, "Made.SC2Replay"));
    }

    private static async Task<List<byte[]>> ObserveAsync(IGameSource source, int most)
    {
        var observations = new List<byte[]>();
        while (observations.Count < most && await source.NextAsync(Ct) is { } frame)
        {
            observations.Add(frame.Observation.ToArray());
            frame.Release();
        }

        return observations;
    }
}
