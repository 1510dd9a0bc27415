using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Streaming.Tests;

/// <summary>Random interleavings, against a model and from several threads.</summary>
public sealed class HubModelTests
{
    [Fact]
    public void Any_interleaving_does_what_the_model_says() =>
        Prop.ForAll<byte[], byte>((moves, setting) => Play(moves, setting))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(1000)).WithEndSize(200));

    [Fact]
    public async Task Many_threads_neither_lose_a_frame_nor_leak_one()
    {
        const int steps = 2000;
        using var match = new TestMatch(options: new HubOptions { LockstepDeadline = TimeSpan.FromMinutes(5) });
        var whole = DeliveryQueue.BytesOf(match.MakeFrame(0));
        match.Frames[0].Release();
        match.Frames.Clear();
        var readers = new List<Task<long>>();
        foreach (var number in Enumerable.Range(0, 12))
        {
            var policy = (Policy)(1 + (number % 3));
            var subscription = match.Subscribe(policy, Overflow.Pause, (ulong)(whole * 3), inline: number % 2 == 0);
            readers.Add(Task.Run(() => ReadAll(subscription, leaveAt: number >= 9 ? 500 : int.MaxValue)));
        }

        using var stopped = match.Subscribe(Policy.Latest);
        for (var step = 0ul; step < steps; step++)
        {
            await match.PublishAsync(step);
        }

        match.Hub.End(new MatchEnd());
        var read = await Task.WhenAll(readers);
        Assert.All(Enumerable.Range(0, 9).Where(n => n % 3 != 1), number => Assert.Equal(steps, read[number]));
        stopped.Dispose();
        match.AssertAllReleased();
    }

    private static async Task<long> ReadAll(Subscription subscription, int leaveAt)
    {
        using (subscription)
        {
            for (var read = 0L; ; read++)
            {
                var delivery = await subscription.ReadAsync(Ct);
                if (delivery.IsLast)
                {
                    return read;
                }

                Assert.NotNull(delivery.Frame);
                var step = delivery.Frame.Header.Step;
                delivery.Release();
                if (read == leaveAt)
                {
                    return read;
                }

                subscription.Acknowledge(step);
            }
        }
    }

    /// <summary>
    /// Each byte is a move: publish, jump, read, acknowledge, or (seldom) end the subscription, begin another match, or leave
    /// and subscribe again.
    /// </summary>
    private static void Play(byte[] moves, byte setting)
    {
        var policy = (Policy)(1 + (setting % 3));
        var pauses = setting % 2 == 0;
        using var match = new TestMatch();
        var queued = new Queue<(ulong Step, int Bytes)>();
        const int limit = 3 * 8192;
        var subscription = Subscribe();
        var held = new List<ObservationFrame>();
        Task published = Task.CompletedTask;
        Task<Delivery>? read = null;
        ulong next = 0, skipped = 0, newest = 0;
        var jumps = new Queue<ulong>();
        var (answered, ended, offered, matches) = (true, false, false, 0);
        foreach (var move in moves)
        {
            switch (move % 18)
            {
                case < 5 when published.IsCompleted:
                    Publish(isJump: false);
                    break;
                case < 6 when published.IsCompleted:
                    next = (ulong)move;
                    Publish(isJump: true);
                    break;
                case < 12 when !ended || queued.Count > 0:
                    read ??= subscription.Read();
                    Settle();
                    break;
                case < 15 when offered:
                    subscription.Acknowledge(newest);
                    answered = true;
                    break;
                case 15:
                    subscription.Dispose();
                    Assert.True(read is null || ((IAsyncResult)read).AsyncWaitHandle.WaitOne(TimeSpan.FromMinutes(1)));
                    Assert.True(read is null || read.IsFaulted);
                    (read, answered, skipped, ended, offered) = (null, true, 0, false, false);
                    queued.Clear();
                    jumps.Clear();
                    subscription = Subscribe();
                    break;
                case 16 when !ended:
                    subscription.Drop(StatusCode.Unauthenticated, "expired");
                    End(V1.PlayResponse.EventOneofCase.Error);
                    break;
                case 17:
                    match.Follow($"match {matches++}");
                    End(V1.PlayResponse.EventOneofCase.MatchEnd);
                    break;
            }

            // A publication that continues on another thread gets there by itself.
            var waits = ended ? false : policy == Policy.Lockstep ? !answered
                : policy == Policy.Every && pauses && queued.Count > 1 && queued.Sum(frame => frame.Bytes) > limit;
            if (waits)
            {
                Assert.False(published.IsCompleted);
            }
            else
            {
                Assert.True(published.Wait(TimeSpan.FromMinutes(1)));
            }

            Assert.Equal(queued.Count, match.Hub.Subscribers.Single().Queued);
            Assert.Equal(queued.Sum(frame => frame.Bytes), match.Hub.Subscribers.Single().QueuedBytes);
        }

        subscription.Dispose();
        held.ForEach(frame => frame.Release());
        match.AssertAllReleased();
        Assert.All(held, TestMatch.AssertReleased);

        void Publish(bool isJump)
        {
            var frame = match.MakeFrame(next, new() { Observation = new() { GameLoop = (uint)next } });
            frame.Jump = isJump ? new PlaybackState { Step = next } : null;
            var bytes = DeliveryQueue.BytesOf(frame);
            published = match.Hub.Publisher.PublishAsync(frame, default).AsTask();
            newest = next++;
            if (ended)
            {
                return;
            }

            if (isJump && offered)
            {
                jumps.Enqueue(newest);
                queued.Clear();
                skipped = 0;
            }

            if (policy != Policy.Every && queued.Count > 0)
            {
                skipped++;
                queued.Clear();
            }

            if (policy == Policy.Every && !pauses && read is null && queued.Count > 0
                && queued.Sum(known => known.Bytes) + bytes > limit)
            {
                ended = true;
                queued.Clear();
                ReadJumps();
                Assert.Equal(8u, subscription.ReadEvent(isLast: true).Error.Code);
            }
            else
            {
                queued.Enqueue((newest, bytes));
                answered = policy != Policy.Lockstep;
            }

            offered = true;
            Settle();
        }

        void Settle()
        {
            if (read is null || queued.Count == 0)
            {
                Assert.True(read is null || !read.IsCompleted);
                return;
            }

            ReadJumps();
            read ??= subscription.Read();
            var (step, _) = queued.Dequeue();
            Assert.True(read.Wait(TimeSpan.FromMinutes(1)));
            var frame = read.Result.Frame!;
            held.Add(frame);
            var missed = read.Result.Parsed().Skipped;
            read = null;
            Assert.Equal(step, frame.Header.Step);
            Assert.Equal(skipped, missed?.Frames ?? 0);
            skipped = 0;
        }

        // A waiting reader gets the last event at once. Queued frames stay readable.
        void End(V1.PlayResponse.EventOneofCase last)
        {
            if (read is { } waiting && !ended)
            {
                Assert.True(waiting.Wait(TimeSpan.FromMinutes(1)));
                Assert.Equal((true, last), (waiting.Result.IsLast, waiting.Result.Event!.EventCase));
                read = null;
            }

            ended = true;
        }

        // Jumps arrive before the waiting frames. None of those frames is older.
        void ReadJumps()
        {
            for (; jumps.Count > 0; read = null)
            {
                read ??= subscription.Read();
                Assert.True(read.Wait(TimeSpan.FromMinutes(1)));
                Assert.Equal(jumps.Dequeue(), read.Result.Event!.Playback.Step);
            }
        }

        Subscription Subscribe() => match.Subscribe(
            policy, pauses ? Overflow.Pause : Overflow.End, limit, inline: setting % 5 == 0);
    }
}
