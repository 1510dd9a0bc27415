using FsCheck;
using FsCheck.Fluent;
using System.Buffers;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.Tests.Zstd;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Tests.Payloads;

public sealed class GroupStreamTests
{
    [Theory]
    [InlineData(MessageForm.Proto, Compression.GroupZstd)]
    [InlineData(MessageForm.Json, Compression.GroupZstd)]
    [InlineData(MessageForm.Proto, Compression.Zstd)]
    [InlineData(MessageForm.Json, Compression.Zstd)]
    public async Task Each_frame_comes_as_it_was_published(MessageForm form, Compression compression)
    {
        using var match = new CompressedMatch();
        using (var listener = match.Listen(form, Policy.Every, compression))
        {
            for (var step = 0ul; step < 150; step++)
            {
                await match.PublishAsync(step);
                var (frame, content) = (await listener.NextAsync(Ct))!.Value;
                Check(form, step, frame, content);
                Assert.Equal(step % 64, compression == Compression.Zstd ? step % 64 : frame.Block.Index);
            }
        }

        match.AssertAllReleased();
    }

    [Fact]
    public async Task Listeners_of_the_same_share_the_very_bytes_whatever_their_transport()
    {
        using var match = new CompressedMatch();
        using var one = match.Listen(MessageForm.Proto, Policy.Every);
        using var other = match.Listen(MessageForm.Proto, Policy.Latest);
        using var less = match.Listen(MessageForm.Proto, Policy.Every, leaveOut: Part.Score);
        for (var step = 0ul; step < 5; step++)
        {
            await match.PublishAsync(step);
            var (first, _) = (await one.NextAsync(Ct))!.Value;
            var (second, _) = (await other.NextAsync(Ct))!.Value;
            var (third, left) = (await less.NextAsync(Ct))!.Value;
            Assert.Equal(first, second);
            Assert.Equal(one.Message, other.Message);
            Assert.NotEqual(first.Block.Group, third.Block.Group);
            Assert.Null(ResponseObservation.Parser.ParseFrom(left).Observation.Score);
        }

        Assert.Equal(2, match.Shared.Streams);
    }

    [Fact]
    public async Task Who_joins_beside_one_that_does_not_read_does_not_wait_for_its_frames_to_be_compressed()
    {
        using var match = new CompressedMatch();
        using (var stuck = match.Listen(MessageForm.Proto, Policy.Every))
        {
            for (var step = 0ul; step < 100; step++)
            {
                await match.PublishAsync(step);
            }

            using (var late = match.Listen(MessageForm.Proto, Policy.Latest))
            using (var later = match.Listen(MessageForm.Proto, Policy.Latest))
            {
                for (var step = 100ul; step < 110; step++)
                {
                    await match.PublishAsync(step);
                    var (frame, content) = (await late.NextAsync(Ct))!.Value;
                    Check(MessageForm.Proto, step, frame, content);
                    Assert.Equal(((uint)step - 100, 0), (frame.Block.Index, frame.Block.Earlier.Count));
                    var (same, _) = (await later.NextAsync(Ct))!.Value;
                    Assert.Equal(frame, same);
                }

                Assert.Equal(1, match.Shared.Streams);
            }

            // The slow listener keeps its own stream.
            for (var step = 0ul; step < 110; step++)
            {
                var (frame, content) = (await stuck.NextAsync(Ct))!.Value;
                Check(MessageForm.Proto, step, frame, content);
                Assert.Equal(step % 64, frame.Block.Index);
            }
        }

        match.AssertAllReleased();
    }

    [Theory]
    [InlineData(MessageForm.Proto)]
    [InlineData(MessageForm.Json)]
    public async Task Who_joins_late_or_skips_is_sent_what_it_lacks_and_nobody_begins_anew(MessageForm form)
    {
        using var match = new CompressedMatch();
        using (var every = match.Listen(form, Policy.Every))
        {
            for (var step = 0ul; step < 10; step++)
            {
                await match.PublishAsync(step);
                await every.NextAsync(Ct);
            }

            using var late = match.Listen(form, Policy.Latest);
            await match.PublishAsync(10);
            var (frame, content) = (await late.NextAsync(Ct))!.Value;
            Check(form, 10, frame, content);
            Assert.Equal(10, frame.Block.Earlier.Count);
            for (var step = 11ul; step < 20; step++)
            {
                await match.PublishAsync(step);
                var (heard, _) = (await every.NextAsync(Ct))!.Value;
                Assert.Equal(frame.Block.Group, heard.Block.Group);
            }

            (frame, content) = (await late.NextAsync(Ct))!.Value;
            Check(form, 19, frame, content);
            Assert.Equal(8, frame.Block.Earlier.Count);
            Assert.Equal(8ul, frame.Skipped.Frames);
            Assert.Equal(["step 12", "step 15", "step 18"], frame.Skipped.Chat.Select(chat => chat.Message));
        }

        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_listener_that_was_alone_and_comes_back_begins_a_group()
    {
        using var match = new CompressedMatch();
        var groups = new List<ulong>();
        for (var step = 0ul; step < 6; step++)
        {
            using var listener = match.Listen(MessageForm.Proto, Policy.Every);
            await match.PublishAsync(step);
            var (frame, content) = (await listener.NextAsync(Ct))!.Value;
            Check(MessageForm.Proto, step, frame, content);
            Assert.Equal(0u, frame.Block.Index);
            groups.Add(frame.Block.Group);
        }

        Assert.Equal(6, groups.Distinct().Count());
        match.AssertAllReleased();
    }

    [Fact]
    public async Task Frames_without_readers_are_not_compressed()
    {
        using var match = new CompressedMatch();
        using var latest = match.Listen(MessageForm.Proto, Policy.Latest);
        for (var step = 0ul; step < 1000; step++)
        {
            await match.PublishAsync(step);
        }

        var (frame, content) = (await latest.NextAsync(Ct))!.Value;
        Check(MessageForm.Proto, 999, frame, content);
        Assert.Equal(0u, frame.Block.Index);
    }

    [Fact]
    public async Task An_observation_that_cannot_be_read_fails_its_own_text_only()
    {
        using var match = new CompressedMatch();
        using (var listener = match.Listen(MessageForm.Json, Policy.Every))
        {
            await match.PublishAsync(0);
            await match.PublishAsync(1, observation: [0xFF]);
            await match.PublishAsync(2);
            Assert.NotNull(await listener.NextAsync(Ct));
            await Assert.ThrowsAsync<EncodingException>(async () => await listener.NextAsync(Ct));
            var (frame, content) = (await listener.NextAsync(Ct))!.Value;
            Check(MessageForm.Json, 2, frame, content);
        }

        match.AssertAllReleased();
    }

    [Fact]
    public void A_failure_of_any_kind_is_its_own_frames_only()
    {
        using var stream = new GroupStream(
            new PayloadKind(Content.Observation, IsText: false, PartSet.None, new FailingEncoding()));
        ObservationFrame[] frames = [.. Enumerable.Range(0, 4).Select(step => ObservationFrame.Copy(
            CompressedMatch.Observation((ulong)step), new FrameHeader("m", 0, (ulong)step, 0, 0, 0)))];
        foreach (var frame in frames)
        {
            stream.AddFrame(frame);
        }

        var second = frames[2].Encoded(stream);
        Assert.Equal(1, second.Index);
        second.Release();
        Assert.Throws<OverflowException>(() => frames[1].Encoded(stream));
        using var decoder = new GroupDecoder();
        foreach (var frame in (ObservationFrame[])[frames[0], frames[2], frames[3]])
        {
            var block = frame.Encoded(stream);
            Assert.Equal(frame.Observation.ToArray(), decoder.Decode(Contents.Message(block, block.Index)).ToArray());
            block.Release();
        }

        Assert.All(frames, frame => frame.Release());
    }

    /// <summary>Each byte is a move: publish, or one of eight listeners joins, reads a frame or leaves.</summary>
    [Fact]
    [Trait("Suite", "Slow")]
    public void Any_order_of_joining_reading_skipping_and_leaving_gives_each_its_bytes() =>
        Prop.ForAll<byte[]>(moves => PlayAsync(moves).GetAwaiter().GetResult())
            .Check(Config.QuickThrowOnFailure.WithMaxTest(Cases.Of(300)).WithEndSize(600));

    private static async Task PlayAsync(byte[] moves)
    {
        using var match = new CompressedMatch();
        var places = new (Listener Listener, MessageForm Form, Queue<ulong> Waiting, bool All)?[8];
        var step = 0ul;
        foreach (var move in moves)
        {
            var at = move % 8;
            switch (move / 8 % 8)
            {
                case < 4:
                    await match.PublishAsync(step);
                    foreach (var place in places.OfType<(Listener, MessageForm, Queue<ulong> Waiting, bool All)>())
                    {
                        if (!place.All)
                        {
                            place.Waiting.Clear();
                        }

                        place.Waiting.Enqueue(step);
                    }

                    step++;
                    break;
                case 4 when places[at] is null:
                    var form = (MessageForm)(at % 3);
                    var all = at % 2 == 0;
                    places[at] = (match.Listen(form, all ? Policy.Every : Policy.Latest), form, new(), all);
                    break;
                case 5 when places[at] is { } leaves:
                    leaves.Listener.Dispose();
                    places[at] = null;
                    break;
                default:
                    while (places[at] is { Waiting.Count: > 0 } reads)
                    {
                        var (frame, content) = (await reads.Listener.NextAsync(Ct))!.Value;
                        Check(reads.Form, reads.Waiting.Dequeue(), frame, content);
                        if (move % 3 > 0)
                        {
                            break;
                        }
                    }

                    break;
            }
        }

        foreach (var place in places)
        {
            place?.Listener.Dispose();
        }

        match.AssertAllReleased();
    }

    [Fact]
    public async Task Subscribers_on_many_threads_each_receive_every_frame()
    {
        const int steps = 1500;
        using var match = new CompressedMatch();
        var listeners = Enumerable.Range(0, 9).Select(number => (
            Form: (MessageForm)(number % 3),
            Policy: (Policy)(1 + (number / 3)),
            Listener: match.Listen((MessageForm)(number % 3), (Policy)(1 + (number / 3)), inline: number % 2 == 0)));
        var readers = listeners.ToList().ConvertAll(each => Task.Run(() => HearAsync(each.Listener, each.Form)));
        for (var step = 0ul; step < steps; step++)
        {
            await match.PublishAsync(step);
        }

        match.Hub.End(new MatchEnd());
        var heard = await Task.WhenAll(readers);
        Assert.All(heard.Take(3).Concat(heard.Skip(6)), count => Assert.Equal(steps, count));
        match.AssertAllReleased();
    }

    private static async Task<int> HearAsync(Listener listener, MessageForm form)
    {
        using (listener)
        {
            for (var count = 0; ; count++)
            {
                if (await listener.NextAsync(Ct) is not { } heard)
                {
                    return count;
                }

                Check(form, heard.Frame.Step, heard.Frame, heard.Content);
                listener.Acknowledge(heard.Frame.Step);
            }
        }
    }

    private static void Check(MessageForm form, ulong step, V1.Frame frame, byte[] content)
    {
        Assert.Equal(step, frame.Step);
        Assert.Equal(("match \"1\"", Content.Observation), (frame.MatchId, frame.Content));
        Assert.Equal(2000 + (long)step, frame.ObservedNs);
        var expected = CompressedMatch.Observation(step);
        if (form == MessageForm.Json)
        {
            var text = System.Text.Encoding.UTF8.GetString(content);
            Assert.Equal(
                ResponseObservation.Parser.ParseFrom(expected), JsonParser.Default.Parse<ResponseObservation>(text));
        }
        else
        {
            Assert.Equal(expected, content);
        }
    }

    // Fails like an encoding of a message that is too large.
    private sealed record FailingEncoding : IFrameEncoding<MessageBuffer>
    {
        public MessageBuffer Encode(ObservationFrame frame)
        {
            if (frame.Header.Step == 1)
            {
                throw new OverflowException();
            }

            var buffer = MessageBuffer.Rent();
            buffer.Write(frame.Observation.Span);
            return buffer;
        }
    }
}
