using System.Diagnostics;

namespace Sc2Bridge.Server.Tests;

/// <summary>Finding 2 of the trust review: 64 readers of JSON that leave out different parts, and one client that never reads.</summary>
public sealed class CrowdMemoryTests
{
    private const long Ceiling = 256 << 20;
    private const int Steps = 300;

    [Fact]
    [Trait("Suite", "Long")]
    public async Task Sixty_four_odd_readers_and_one_that_never_reads_stay_below_the_ceiling()
    {
        var before = Environment.WorkingSet;
        await using var match = await WebSocketMatch.StartAsync(new HubOptions { MemoryCeiling = Ceiling });
        using var stuck = await SubscribeAsync(match, "stuck", 0, Policy.Every);
        using var steady = await SubscribeAsync(match, "steady", 0, Policy.Every, "sc2bridge.proto.v1");
        var crowd = await Task.WhenAll(Enumerable.Range(1, 64).Select(
            number => SubscribeAsync(match, $"odd-{number}", number, Policy.Latest)));
        using var over = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var reading = Task.WhenAll(crowd.Select(odd => DrainAsync(odd.Socket, over.Token)));
        var heard = HearAsync(steady);
        await HoldsAsync(() => match.Hub.Subscribers.Count >= 66);

        // Four times as fast as a game of 22.4 steps a second, so that seconds show the effect of a minute.
        var observation = WebSocketMatch.Observation(0, 200_000).ToByteArray();
        var started = Stopwatch.GetTimestamp();
        for (var step = 0; step < Steps; step++)
        {
            await match.PublishAsync(observation);
            await Task.Delay(TimeSpan.FromMilliseconds(Math.Max(0, (step * 11) - Stopwatch.GetElapsedTime(started).TotalMilliseconds)), Ct);
        }

        var memory = match.Hub.Memory;
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"peak {memory.Peak >> 20} MiB, RSS {before >> 20} MiB, now {Environment.WorkingSet >> 20} MiB, {Stopwatch.GetElapsedTime(started).TotalSeconds:0.0} s");
        Assert.InRange(memory.Peak, 1, Ceiling + (4 << 20));
        Assert.Equal(Enumerable.Range(0, Steps).Select(step => (ulong)step), await heard);
        await over.CancelAsync();
        await reading;
        Array.ForEach(crowd, odd => odd.Dispose());
        stuck.Dispose();
        steady.Dispose();
        // The last texts are released with a delay of some seconds.
        var left = Enum.GetValues<MemoryAccount>();
        for (var waited = 0; waited < 8000 && left.Length > 0; waited++)
        {
            await Task.Delay(5, Ct);
            left = Array.FindAll(left, account => memory[account] != 0);
        }

        Assert.Empty(left.Select(account => $"{account}: {memory[account]}"));
        Assert.Empty(match.Hub.Subscribers);
        TestContext.Current.TestOutputHelper?.WriteLine($"RSS {Environment.WorkingSet >> 20} MiB after the crowd");
    }

    private static async Task<AgentSocket> SubscribeAsync(
        WebSocketMatch match, string name, int parts, Policy policy, string protocol = "sc2bridge.json.v1")
    {
        var socket = await match.ConnectAsync(protocol);
        var request = new SubscribeRequest { Agent = name, Policy = policy, QueueBytes = 1 << 30, Overflow = Overflow.End };

        // Not the map's state, because it makes the observation long.
        Part[] odd = [Part.Abilities, Part.Score, Part.FeatureLayers, Part.Render, Part.Ui];
        request.Exclude.AddRange(odd.Where((_, bit) => (parts >> bit & 1) != 0));
        request.Content = parts >= 32 ? Content.Columns : Content.Observation;
        await socket.SendAsync(new PlayRequest { Subscribe = request });
        return socket;
    }

    private static async Task<List<ulong>> HearAsync(AgentSocket steady)
    {
        var heard = new List<ulong>();
        while (heard.Count < Steps)
        {
            var said = await steady.ReceiveAsync();
            Assert.Equal(PlayResponse.EventOneofCase.Frame, said?.EventCase);
            heard.Add(said!.Frame.Step);
        }

        return heard;
    }

    private static async Task DrainAsync(ClientWebSocket socket, CancellationToken over)
    {
        var buffer = new byte[256 << 10];
        try
        {
            while (true)
            {
                await socket.ReceiveAsync(buffer, over);
            }
        }
        catch (Exception ending) when (over.IsCancellationRequested && ending is OperationCanceledException or WebSocketException)
        {
            // Enough was read. Cancelling a receive aborts the socket.
        }
    }
}
