using Sc2Bridge.Games;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games.Tests.Recorded;

/// <summary>The bridge's own client follows a recording in the same way as the game.</summary>
public sealed class OwnClientTests
{
    [Fact]
    public async Task A_match_that_is_followed_again_is_the_same_in_every_byte()
    {
        var end = new MatchEnd
        {
            Reason = EndReason.Finished,
            Results = { new PlayerResult { PlayerId = 1, Result = Result.Defeat }, new PlayerResult { PlayerId = 2 } },
        };
        using var builder = new RecordingBuilder { End = end };
        builder.Description.Perspectives.Clear();
        builder.Description.Perspectives.Add(0);
        var random = new Random(7);
        byte[][] recorded = [.. Enumerable.Range(0, 40).Select(loop =>
        {
            var made = Observations.Make(random);
            made.Observation.GameLoop = (uint)loop * 4;
            return made.ToByteArray();
        })];
        var options = new RecordedGameOptions { Recording = builder.Write(recorded) };
        await using var server = await RecordedGameServer.StartAsync(options, _ => { }, Ct);
        await using var source = new StarCraftSource(
            new MatchSettings { StepSize = 4 }, new GameAddress("127.0.0.1", server.Port));
        await source.StartAsync(Ct);
        Assert.Equal(builder.Description.GameInfo, source.Description.GameInfo);
        Assert.Equal(builder.Description.Ping, source.Description.Ping);
        foreach (var observation in recorded)
        {
            var frame = await source.NextAsync(Ct);
            Assert.Equal(observation, frame!.Observation.ToArray());
            frame.Release();
        }

        Assert.Null(await source.NextAsync(Ct));
        Assert.Equal(end.Results, source.End!.Results);
        Assert.Equal(EndReason.Finished, source.End.Reason);
    }
}
