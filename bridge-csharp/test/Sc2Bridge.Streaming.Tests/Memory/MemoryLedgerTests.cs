using System.Diagnostics.Metrics;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.Extensions.Logging.Abstractions;
using Sc2Bridge.Protocol;
using Action = System.Action;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>The memory of frames and their encodings is counted, limited and released.</summary>
public sealed class MemoryLedgerTests
{
    private const int Size = 60_000;

    // The size of a buffer for such a frame.
    private const int Frame = 64 << 10;

    private static readonly SC2APIProtocol.ImageData _image = new() { Data = Google.Protobuf.ByteString.CopyFrom(new byte[Size]) };

    private static readonly SC2APIProtocol.ResponseObservation _observation = new()
    {
        Observation = new() { RawData = new() { MapState = new() { Visibility = _image } } },
    };

    [Fact]
    public void The_one_that_never_reads_is_ended_with_the_reason_and_one_that_reads_misses_nothing()
    {
        using var match = Match(ceiling: 100 * Frame);
        using var stuck = match.Subscribe(Policy.Every);
        using var slow = match.Subscribe(Policy.Every);
        using var steady = match.Subscribe(Policy.Every);
        for (var step = 0ul; step < 250; step++)
        {
            _ = match.PublishAsync(step, _observation);
            Assert.Equal(step, steady.ReadFrame().Step);
            if (step % 4 == 0 && !slow.HasEnded)
            {
                slow.ReadFrame();
            }
        }

        // The published frame and the frame that its reader holds may exceed the limit.
        Assert.InRange(match.Hub.Memory.Peak, 99 * Frame, 102 * Frame);
        var error = stuck.ReadEvent(isLast: true).Error;
        Assert.Equal(8u, error.Code);
        Assert.Contains("'agent' held 6 MiB of memory, 100 frames", error.Message, StringComparison.Ordinal);
        Assert.Contains("--memory", error.Message, StringComparison.Ordinal);
        Assert.Equal(8u, slow.ReadEvent(isLast: true).Error.Code);
        steady.Dispose();
        AssertNothingHeld(match);
    }

    [Fact]
    public async Task No_other_subscriber_is_ended_while_the_write_of_an_ended_one_is_cut_off()
    {
        using var match = Match(ceiling: 100 * Frame);
        using var stuck = match.Subscribe(Policy.Every);
        using var slow = match.Subscribe(Policy.Every);
        var image = new SC2APIProtocol.ImageData { Data = Google.Protobuf.ByteString.CopyFrom(new byte[60 * Size]) };
        _ = match.PublishAsync(0, new() { Observation = new() { RawData = new() { MapState = new() { Visibility = image } } } });
        var writing = await stuck.ReadAsync(CancellationToken.None);
        slow.ReadFrame();
        for (var step = 1ul; step < 60; step++)
        {
            _ = match.PublishAsync(step, _observation);
        }

        Assert.True(stuck.HasEnded);
        Assert.False(slow.HasEnded);
        writing.Release();
        stuck.Dispose();
        slow.Dispose();
        AssertNothingHeld(match);
    }

    [Fact]
    public void Encodings_are_given_up_before_anybody_is_ended_and_made_again_for_who_asks()
    {
        using var match = Match(ceiling: 100 * Frame);
        using var behind = match.Subscribe(Policy.Every);
        var made = 0;
        for (var step = 0ul; step < 40; step++)
        {
            _ = match.PublishAsync(step, _observation);
            for (var kind = 0; kind < 8; kind++)
            {
                match.Frames[^1].Encoded<MessageBuffer>(new Made(kind, () => made++)).Release();
            }
        }

        Assert.InRange(match.Hub.Memory.Peak, 0, 101 * Frame);
        Assert.InRange(match.Hub.Memory[MemoryAccount.Encodings], Frame, 25 * Frame);
        Assert.Equal(40, match.Hub.Subscribers.Single().Queued);
        Assert.Equal(320, made);
        match.Frames[0].Encoded<MessageBuffer>(new Made(1, () => made++)).Release();
        match.Frames[0].Encoded<MessageBuffer>(new Made(1, () => made++)).Release();
        Assert.Equal(321, made);
        behind.Dispose();
        AssertNothingHeld(match);
    }

    [Fact]
    public void An_encoding_that_is_given_up_lives_until_who_writes_it_is_done()
    {
        using var match = Match(ceiling: 20 * Frame);
        using var behind = match.Subscribe(Policy.Every);
        _ = match.PublishAsync(0, _observation);
        var written = match.Frames[0].Encoded<MessageBuffer>(new Made(7, () => { }));
        for (var kind = 0; kind < 50; kind++)
        {
            match.Frames[0].Encoded<MessageBuffer>(new Made(100 + kind, () => { })).Release();
        }

        Assert.Equal(7, written.Written.Span[0]);
        Assert.InRange(match.Hub.Memory[MemoryAccount.Encodings], Frame, 6 * Frame);
        behind.Dispose();
        Assert.Equal(Frame, match.Hub.Memory.Total);
        written.Release();
        AssertNothingHeld(match);
    }

    [Theory]
    [InlineData(MemoryAccount.Connections)]
    [InlineData(MemoryAccount.Requests)]
    public void Connections_and_requests_of_others_end_no_subscription(MemoryAccount account)
    {
        using var match = Match(ceiling: 100 * Frame);
        using var behind = match.Subscribe(Policy.Every);
        match.Hub.Memory.Add(account, 1000 * Frame);
        for (var step = 0ul; step < 60; step++)
        {
            _ = match.PublishAsync(step, _observation);
        }

        Assert.Equal((60, false), (match.Hub.Subscribers.Single().Queued, behind.HasEnded));
        match.Hub.Memory.Add(account, -1000 * Frame);
        behind.Dispose();
        AssertNothingHeld(match);
    }

    [Fact]
    public void The_gauge_tells_each_account()
    {
        using var match = Match(ceiling: 100 * Frame);
        using var behind = match.Subscribe(Policy.Every);
        var told = new Dictionary<string, long>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, self) =>
            {
                if (instrument.Name == "sc2bridge.memory.bytes")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
            told[$"{tags[0].Value}"] = Math.Max(value, told.GetValueOrDefault($"{tags[0].Value}")));
        listener.Start();
        _ = match.PublishAsync(0, _observation);
        listener.RecordObservableInstruments();
        Assert.True(told["frames"] >= Frame);
        Assert.Equal(
            ["connections", "encodings", "frames", "log", "queues", "recorder", "requests", "subscribers"], told.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Memory_is_given_back_after_a_lasting_fall_and_not_often()
    {
        using var match = Match(ceiling: 1 << 30);
        var keeper = new MemoryKeeper(match.Hub.Memory, () => { }, () => false, NullLogger.Instance);
        const long Much = 500 << 20;
        long[] seconds = [Much, Much, 0, Much, .. Enumerable.Repeat(Much / 3, 6), .. new long[30]];
        var fallen = seconds.Select(keeper.HasFallen).ToList();
        Assert.Equal([8, 28], Enumerable.Range(0, fallen.Count).Where(second => fallen[second]));
    }

    [Fact]
    public void The_collection_that_gives_memory_back_waits_until_no_match_runs()
    {
        const long Much = 500 << 20;
        using var log = new KeptLog();
        var (ledger, runs) = (new MemoryLedger(1 << 30), true);
        var keeper = new MemoryKeeper(ledger, () => { }, () => runs, log);
        var trimmed = 0;
        ledger.Trimming += () => trimmed++;
        ledger.Add(MemoryAccount.Frames, Much);
        keeper.Check();
        ledger.Add(MemoryAccount.Frames, -Much);
        for (var second = 0; second < 10; second++)
        {
            keeper.Check();
        }

        // The runtime's count of collections would also count those of tests that run at the same time.
        Assert.Equal(1, trimmed);
        Assert.Empty(log.Entries);
        runs = false;
        var collections = GC.GetGCMemoryInfo(GCKind.FullBlocking).Index;
        keeper.Check();
        Assert.True(GC.GetGCMemoryInfo(GCKind.FullBlocking).Index > collections);
        Assert.Contains("returned unused memory", Assert.Single(log.Entries).Text);
    }

    /// <summary>
    /// Each byte is a move: publish, or one of six clients subscribes, reads (and writes for a while), encodes a frame,
    /// sends an invalid request, or leaves.
    /// </summary>
    [Fact]
    [Trait("Suite", "Slow")]
    public void After_any_moves_every_account_is_empty_and_none_was_ever_negative() =>
        Prop.ForAll<byte[]>(Play).Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(200)).WithEndSize(500));

    private static void Play(byte[] moves)
    {
        const int Ceiling = 40;
        using var match = Match(ceiling: Ceiling * Frame);
        var places = new Subscription?[6];
        var written = new Queue<(Delivery Delivery, MessageBuffer? Encoding)>();
        var step = 0ul;
        foreach (var move in moves)
        {
            ref var place = ref places[move % places.Length];
            var kind = move / places.Length % 8;
            switch (kind)
            {
                case 0 when place is not null:
                    place.Dispose();
                    place = null;
                    break;
                case 1 when place is not null:
                    place.Acknowledge(step + 5);
                    place.Act(new Actions { Step = step });
                    break;
                case 2 or 3 when place is { HasEnded: false }:
                    using (var over = new CancellationTokenSource())
                    {
                        var read = place.ReadAsync(over.Token);
                        over.Cancel();
                        if (read.IsCompletedSuccessfully && read.Result is { Frame: { } frame } delivery)
                        {
                            written.Enqueue((delivery, kind == 2 ? frame.Encoded<MessageBuffer>(new Made(move, () => { })) : null));
                        }
                    }

                    break;
                case 4 when place is null:
                    place = match.Subscribe((Policy)(1 + (move % 3)), Overflow.End, leaveOut: Part.Raw);
                    break;
                default:
                    var publishing = match.PublishAsync(step++, _observation);
                    break;
            }

            // Only a few are written at a time, because a frame in a write cannot be released.
            while (written.Count > 4)
            {
                Release(written.Dequeue());
            }

            Assert.All(Enum.GetValues<MemoryAccount>(), account => Assert.True(match.Hub.Memory[account] >= 0));

            // The published frame and the frames that ended subscribers hold may exceed the limit.
            Assert.InRange(match.Hub.Memory.Total, 0, (Ceiling + 1 + written.Count) * Frame);
            if (Array.Exists(places, one => one?.Policy == Policy.Lockstep))
            {
                foreach (var one in places.Where(one => one is { Policy: Policy.Lockstep, HasEnded: false }))
                {
                    one!.OnStreamEnded();
                }
            }
        }

        Array.ForEach(places, place => place?.Dispose());
        while (written.TryDequeue(out var last))
        {
            Release(last);
        }

        AssertNothingHeld(match);

        static void Release((Delivery Delivery, MessageBuffer? Encoding) done)
        {
            done.Encoding?.Release();
            done.Delivery.Release();
        }
    }

    private static TestMatch Match(long ceiling) => new(
        options: new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan, MemoryCeiling = ceiling });

    private static void AssertNothingHeld(TestMatch match)
    {
        match.AssertAllReleased();
        Assert.True(match.Hub.Events.FlushAsync().Wait(TimeSpan.FromMinutes(1)));
        Assert.All(Enum.GetValues<MemoryAccount>(), account => Assert.Equal(0, match.Hub.Memory[account]));
        Assert.Equal(0, match.Hub.Memory.Total);
    }

    private sealed class Made(int kind, Action make) : IFrameEncoding<MessageBuffer>, IEquatable<Made>
    {
        private int Number => kind;

        public MessageBuffer Encode(ObservationFrame frame)
        {
            make();
            var buffer = MessageBuffer.Rent(Size);
            buffer.GetSpan(Size)[..Size].Fill((byte)kind);
            buffer.Advance(Size);
            return buffer;
        }

        public bool Equals(Made? other) => other?.Number == kind;

        public override bool Equals(object? obj) => Equals(obj as Made);

        public override int GetHashCode() => kind;
    }
}
