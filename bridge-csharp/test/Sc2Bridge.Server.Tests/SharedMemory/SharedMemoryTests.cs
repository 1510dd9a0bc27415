using System.Net.Sockets;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.SharedMemory;

namespace Sc2Bridge.Server.Tests;

/// <summary>The shared memory transport, tested through its socket.</summary>
public sealed class SharedMemoryTests
{
    [Fact]
    public async Task A_frame_says_where_it_is_and_is_there_until_it_was_given_back()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        var offsets = new HashSet<ulong>();
        for (var step = 0; step < 4; step++)
        {
            await PublishAsync(match, step);
            var frame = await reader.FrameAsync();
            Assert.Equal((ulong)step, frame.Step);
            Assert.Equal(Frame.PayloadOneofCase.Shared, frame.PayloadCase);
            Assert.Equal((uint)WebSocketMatch.Observation((uint)step).CalculateSize(), frame.Shared.Length);
            Assert.True(offsets.Add(frame.Shared.Offset));
        }

        Assert.Equal(4, match.SharedBlocks);
        await reader.TakeAsync(4, [.. offsets]);
        await HoldsAsync(() => match.SharedBlocks == 0);
        await PublishAsync(match, 4);
        Assert.Contains((await reader.FrameAsync()).Shared.Offset, offsets);
        match.End();
        Assert.Equal(PlayResponse.EventOneofCase.MatchEnd, (await reader.EventAsync())?.EventCase);
    }

    [Fact]
    public async Task Under_latest_one_is_sent_ahead_and_then_the_newest()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Latest);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await PublishAsync(match, 0);
        Assert.Equal(0ul, (await reader.FrameAsync()).Step);
        for (var step = 1; step < 10; step++)
        {
            await PublishAsync(match, step);
        }

        await reader.TakeAsync(1);
        var newest = await reader.FrameAsync();
        Assert.Equal((9ul, 8ul), (newest.Step, newest.Skipped.Frames));
    }

    [Fact]
    public async Task A_reader_that_keeps_too_much_gets_copies_until_it_releases_some()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        var kept = new List<ulong>();
        Error? told = null;
        for (var step = 0; step < SharedWindow.MostHeld + 5; step++)
        {
            await PublishAsync(match, step);
            var heard = (await reader.EventAsync())!;
            if (heard.Error is { } error)
            {
                (told, heard) = (error, (await reader.EventAsync())!);
            }

            Assert.Equal(
                step < SharedWindow.MostHeld ? Frame.PayloadOneofCase.Shared : Frame.PayloadOneofCase.Observation,
                heard.Frame.PayloadCase);
            if (heard.Frame.Shared is { } block)
            {
                kept.Add(block.Offset);
                await reader.TakeAsync(1);
            }
            else
            {
                Assert.Equal(WebSocketMatch.Observation((uint)step), heard.Frame.Observation);
            }
        }

        told ??= (await reader.EventAsync())?.Error;
        Assert.False(told!.Fatal);
        Assert.Contains("keeps 32 frames", told.Message, StringComparison.Ordinal);
        await reader.TakeAsync(0, kept[3]);
        await HoldsAsync(() => match.SharedBlocks == SharedWindow.MostHeld - 1);
        await PublishAsync(match, 99);
        Assert.Equal(kept[3], (await reader.FrameAsync()).Shared.Offset);
    }

    [Theory]
    [InlineData(2, 0, "2 frames were received, but 1 were sent.")]
    [InlineData(1, 77, "The block at 77 was released, but this connection does not have it.")]
    public async Task Who_says_what_cannot_be_is_refused(uint frames, ulong released, string why)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        await PublishAsync(match, 0);
        var frame = await reader.FrameAsync();
        await reader.TakeAsync(frames, released == 0 ? frame.Shared.Offset : released);
        var refused = (await reader.EventAsync())?.Error;
        Assert.Equal((true, why), (refused?.Fatal, refused?.Message));
        Assert.Null(await reader.EventAsync());
        reader.Dispose();
        await HoldsAsync(() => match.SharedBlocks == 0);
    }

    [Fact]
    public async Task The_memory_comes_after_the_token()
    {
        var (known, unknown) = (new string('a', 40), new string('b', 40));
        await using var match = await WebSocketMatch.StartAsync(
            TokenStore.Empty.With(known, new Identity("watcher", Roles.Watch)), apart: false);

        // No file descriptor comes with the first bytes: see MemoryReader.
        using var refused = await match.ShareAsync(unknown);
        Assert.False(await refused.ReceiveFileAsync(sizeof(int)));
        using var accepted = await match.ShareAsync(known);
        Assert.True(await accepted.ReceiveFileAsync(sizeof(int)));
    }

    [Fact]
    public async Task Memory_is_not_shared_while_sides_are_kept_apart()
    {
        using var hub = new Hub(new HubOptions { SidesApart = true });
        var options = new BridgeServerOptions { WebAddress = "127.0.0.1:0", SharedMemoryName = BridgeServerOptions.NewSharedMemoryName() };
        var refused = await Assert.ThrowsAsync<AddressException>(() => BridgeServer.StartAsync(hub, options, Ct));
        Assert.Contains("sides", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_that_is_not_known_is_refused()
    {
        var tokens = TokenStore.Empty.With(new string('a', 40), new Identity("watcher", Roles.Watch));
        await using var match = await WebSocketMatch.StartAsync(tokens, apart: false);
        using var reader = await match.ShareAsync(new string('b', 40));
        var refused = (await reader.EventAsync())?.Error;
        Assert.Equal(StatusCode.Unauthenticated, refused?.Code);
        Assert.Null(await reader.EventAsync());

        // The bridge ignores messages after a refusal. They must not break the connection before the client has read the error.
        await reader.SubscribeAsync(Policy.Every);
    }

    [Fact]
    public async Task A_connection_too_many_hears_so()
    {
        await using var match = await WebSocketMatch.StartAsync(new HubOptions(), limits: new AdmissionLimits { Connections = 2 });
        using var first = await match.ShareAsync();
        using var second = await match.ShareAsync();
        using var third = await match.ShareAsync();
        var refused = (await third.EventAsync())?.Error;
        Assert.Equal(StatusCode.ResourceExhausted, refused?.Code);
        Assert.Contains("--max-connections", refused?.Message, StringComparison.Ordinal);
        Assert.Null(await third.EventAsync());
    }

    [Fact]
    public async Task A_clients_memory_stays_until_its_connection_ends_and_not_its_subscription()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        for (var step = 0; step < 3; step++)
        {
            await PublishAsync(match, step);
            await reader.FrameAsync();
        }

        match.End();
        Assert.Equal(PlayResponse.EventOneofCase.MatchEnd, (await reader.EventAsync())?.EventCase);
        Assert.Null(await reader.EventAsync());
        await reader.CloseAsync();
        await HoldsAsync(() => match.Hub.Subscribers.Count == 0);
        Assert.Equal(3, match.SharedBlocks);
        reader.Dispose();
        await HoldsAsync(() => match.SharedBlocks == 0);
    }

    [Fact]
    public async Task A_dropped_reader_gets_the_reason_although_it_reads_nothing()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every, Overflow.End, queueBytes: 1);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        var step = 0;
        while (match.Hub.Subscribers.Any(one => !one.HasEnded))
        {
            await PublishAsync(match, step++);
        }

        Error? told = null;
        while (await reader.EventAsync() is { } heard)
        {
            told = heard.Error;
        }

        Assert.Equal(StatusCode.ResourceExhausted, told?.Code);
    }

    [Fact]
    public async Task Under_latest_a_copy_is_sent_ahead_too_and_then_the_newest()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Latest);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        for (var step = 0; step < SharedWindow.MostHeld; step++)
        {
            await PublishAsync(match, step);
            Assert.Equal(Frame.PayloadOneofCase.Shared, (await reader.FrameAsync()).PayloadCase);
            await reader.TakeAsync(1);
        }

        await PublishAsync(match, 0);
        PlayResponse? heard = null;
        while (heard?.Frame is null)
        {
            heard = await reader.EventAsync();
        }

        Assert.Equal((Frame.PayloadOneofCase.Observation, (ulong)SharedWindow.MostHeld), (heard.Frame.PayloadCase, heard.Frame.Step));
        for (var step = 1; step < 10; step++)
        {
            await PublishAsync(match, step);
        }

        await reader.TakeAsync(1);
        while (heard?.Frame?.Skipped is null)
        {
            heard = await reader.EventAsync();
        }

        Assert.Equal((SharedWindow.MostHeld + 9ul, 8ul), (heard.Frame.Step, heard.Frame.Skipped.Frames));
    }

    [Fact]
    public async Task A_queue_elsewhere_keeps_no_block()
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var slow = match.Hub.Subscribe(
            new SubscribeRequest { Agent = "slow", Policy = Policy.Every }, new SubscriberInfo("test", DeliverInline: false));
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every);
        await match.Hub.WaitForSubscribersAsync(2, Ct);
        await PublishAsync(match, 0);
        await reader.TakeAsync(1, (await reader.FrameAsync()).Shared.Offset);
        await HoldsAsync(() => match.SharedBlocks == 0);
    }

    [Theory]
    [InlineData(Compression.Zstd)]
    [InlineData(Compression.GroupZstd)]
    public async Task There_is_no_compression(Compression compression)
    {
        await using var match = await WebSocketMatch.StartAsync();
        using var reader = await match.ShareAsync();
        await reader.SubscribeAsync(Policy.Every, compression: compression);
        var refused = (await reader.EventAsync())?.Error;
        Assert.Equal((StatusCode.InvalidArgument, true), (refused?.Code, refused?.Message.Contains("without a compression", StringComparison.Ordinal)));
    }

    // Readers that do not read, release nothing, disconnect in the middle of a message, or leave. A correct agent receives every frame.
    [Fact]
    public async Task Readers_that_go_at_any_moment_leave_nothing_behind()
    {
        const int Steps = 300;
        await using var match = await WebSocketMatch.StartAsync();
        using var good = await match.ShareAsync();
        await good.SubscribeAsync(Policy.Every, Overflow.Pause);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        var heard = Task.Run(
            async () =>
            {
                for (var step = 0; step < Steps; step++)
                {
                    var frame = await good.FrameAsync();
                    Assert.Equal((ulong)step, frame.Step);
                    if (frame.Shared is { } block)
                    {
                        await good.TakeAsync(1, block.Offset);
                    }
                }
            },
            Ct);
        var random = new Random(1);
        var others = new List<MemoryReader>();
        for (var step = 0; step < Steps; step++)
        {
            await PublishAsync(match, step);
            if (random.Next(3) == 0)
            {
                var other = await match.ShareAsync();
                await other.SubscribeAsync((Policy)random.Next(2, 4), Overflow.End);
                others.Add(other);
            }

            if (others.Count > 0 && random.Next(3) == 0)
            {
                var other = others[random.Next(others.Count)];
                if (random.Next(2) == 0)
                {
                    await other.SendRawAsync([1, 2]);
                }
                else
                {
                    other.Dispose();
                    others.Remove(other);
                }
            }
        }

        await heard;
        others.ForEach(other => other.Dispose());
        await HoldsAsync(() => match.Hub.Subscribers.Count(one => !one.HasEnded) == 1 && match.SharedBlocks == 0);
    }

    [Fact]
    [Trait("Suite", "Long")]
    public async Task An_hour_of_frames_takes_no_more_memory_than_a_part_of_it()
    {
        const int Steps = 80_640;
        const int Samples = 90;
        var observation = new byte[150 << 10];
        await using var match = await WebSocketMatch.StartAsync();
        var readers = new List<MemoryReader>();
        foreach (var policy in (Policy[])[Policy.Lockstep, Policy.Every, Policy.Latest])
        {
            readers.Add(await match.ShareAsync());
            await readers[^1].SubscribeAsync(policy, policy == Policy.Every ? Overflow.Pause : Overflow.Unspecified);
        }

        await match.Hub.WaitForSubscribersAsync(readers.Count, Ct);
        var reading = readers.Select((reader, index) => Task.Run(
            async () =>
            {
                for (var step = 0ul; step < Steps - 1;)
                {
                    var frame = await reader.FrameAsync();
                    step = frame.Step;
                    await reader.TakeAsync(1, frame.Shared.Offset);
                    if (index == 0)
                    {
                        await reader.SendAsync(new PlayRequest { Acknowledge = new Acknowledgement { Step = step } });
                    }
                }
            },
            Ct)).ToList();
        var resident = new List<long>();
        for (var step = 0; step < Steps; step++)
        {
            await match.PublishAsync(observation);
            if ((step + 1) % (Steps / Samples) == 0)
            {
                GC.Collect();
                resident.Add(Environment.WorkingSet);
            }
        }

        await Task.WhenAll(reading);
        readers.ForEach(reader => reader.Dispose());
        Assert.InRange(Median(2), 0, (long)(1.05 * Median(1)));

        // The median of the second or the last third. The first third is warm-up.
        long Median(int third) => resident.Skip(third * Samples / 3).Take(Samples / 3).Order().ElementAt(Samples / 6);
    }

    [Fact]
    public async Task Messages_are_whole_however_their_bytes_come()
    {
        var random = new Random(5);
        for (var round = 0; round < 50; round++)
        {
            var (near, far) = await PairAsync();
            using var framed = new FramedSocket(far);
            var sent = Enumerable.Range(0, random.Next(1, 20)).Select(_ => Bytes(random, random.Next(3) == 0 ? 20_000 : 40)).ToList();
            var all = sent.SelectMany(message => (byte[])[.. BitConverter.GetBytes(message.Length), .. message]).ToArray();
            var sending = Task.Run(
                async () =>
                {
                    for (var at = 0; at < all.Length;)
                    {
                        var length = Math.Min(random.Next(1, 9_000), all.Length - at);
                        at += await near.SendAsync(all.AsMemory(at, length), Ct);
                    }

                    await near.SendAsync(Close, Ct);
                },
                Ct);
            foreach (var message in sent)
            {
                Assert.Equal(message, (await framed.ReadAsync(1 << 20))!.Value.ToArray());
            }

            Assert.Null(await framed.ReadAsync(1 << 20));
            await sending;
            near.Dispose();
        }
    }

    [Theory]
    [InlineData(new byte[0], false)]
    [InlineData(new byte[] { 0, 0 }, false)]
    [InlineData(new byte[] { 0, 0, 0, 0x80 }, true)]
    [InlineData(new byte[] { 1, 0, 0x10, 0 }, true)]
    [InlineData(new byte[] { 9, 0, 0, 0, 1 }, false)]
    public async Task Invalid_messages_are_refused_or_mean_that_the_client_has_left(byte[] bytes, bool isRefused)
    {
        var (near, far) = await PairAsync();
        using var framed = new FramedSocket(far);
        await near.SendAsync(bytes, Ct);
        near.Shutdown(SocketShutdown.Send);
        var problem = await Record.ExceptionAsync(async () => await framed.ReadAsync(1 << 20));
        Assert.IsType(isRefused ? typeof(RequestRefusedException) : typeof(PeerGoneException), problem);
        near.Dispose();
    }

    [Fact]
    public async Task Aborting_ends_what_is_under_way_and_the_client_goes_when_it_goes()
    {
        var (near, far) = await PairAsync();
        using var framed = new FramedSocket(far);
        var reading = framed.ReadAsync(10).AsTask();
        var writing = framed.WriteAsync(default, new byte[4 << 20]).AsTask();
        framed.Abort();
        await Assert.ThrowsAsync<PeerGoneException>(() => reading);
        await Assert.ThrowsAsync<PeerGoneException>(() => writing);
        var gone = framed.WaitUntilGoneAsync(Ct);
        await near.SendAsync(new byte[100], Ct);
        Assert.False(gone.IsCompleted);
        near.Dispose();
        await gone;
    }

    private static readonly byte[] Close = [0xFF, 0xFF, 0xFF, 0xFF];

    private static byte[] Bytes(Random random, int most)
    {
        var bytes = new byte[random.Next(most)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static async Task<(Socket Near, Socket Far)> PairAsync()
    {
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        var address = new UnixDomainSocketEndPoint($"\0sc2bridge-test-{Guid.NewGuid()}");
        listener.Bind(address);
        listener.Listen();
        var near = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await near.ConnectAsync(address, Ct);
        return (near, await listener.AcceptAsync(Ct));
    }

    private static ValueTask PublishAsync(WebSocketMatch match, int step) =>
        match.PublishAsync(WebSocketMatch.Observation((uint)step).ToByteArray());
}
