using System.Collections.Concurrent;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Broker.Tests;

/// <summary>From a hub through a real broker to a relay.</summary>
[Trait("Suite", "Slow")]
public sealed class PublishedMatchTests(TestBroker broker) : IClassFixture<TestBroker>, IDisposable
{
    private static readonly MatchEnd _end = new() { MatchId = TestMatch.Name, Reason = EndReason.Finished, Step = 9, GameLoop = 9 };

    private readonly string _spool = Path.Combine(Path.GetTempPath(), $"sc2bridge-publish-{Guid.NewGuid():N}");
    private readonly TestMatch _match = new();
    private readonly ConcurrentQueue<string> _told = [];
    private readonly List<(uint Perspective, ulong Step, string Bytes)> _published = [];

    public void Dispose()
    {
        _match.AssertAllReleased();
        _match.Dispose();
        Assert.False(File.Exists(_spool));
    }

    [Fact]
    public async Task Every_frame_of_every_perspective_comes_once_in_order_and_as_it_was_published()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address) { Tags = ["a tag"] });
        await PublishAsync(0, 150);
        publisher.Add(new LoggedStep(new StepRecord { Step = 149 }, 1, 2));
        _match.Hub.End(_end);
        Assert.Null(await publisher.EndAsync(_end, Ct));
        Assert.Equal((300, 300, 0), (publisher.Figures.Published, publisher.Figures.Confirmed, publisher.Figures.Waiting));

        await using var relay = await OpenAsync(publisher.Key);
        Assert.Equal(publisher.Key, relay.Description.Relay);
        Assert.Equal([0u, 2u], relay.Description.Perspectives);
        Assert.Equal(_published.OrderBy(one => one.Perspective), [.. await ReadAsync(relay.Sides[0]), .. await ReadAsync(relay.Sides[1])]);
        Assert.Equal(_end, relay.Sides[0].End);

        // Also found by its tag. If no match is found, the error lists the existing ones.
        await using var found = await OpenAsync("A TAG");
        Assert.Equal(publisher.Key, found.Description.Relay);
        Assert.Contains(publisher.Key, string.Concat((await Assert.ThrowsAsync<BrokerException>(() => OpenAsync("no such"))).Matches));
        Assert.Empty(_told);
    }

    [Fact]
    public async Task A_reader_begins_at_the_newest_frame_or_at_a_loop_or_from_the_beginning()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address));
        // The broker starts at its last chunk, which can hold all unconfirmed messages. The reader starts at the keyframe before it.
        await PublishAsync(0, 384);
        await HoldsAsync(() => publisher.Figures.Confirmed == 768);
        await PublishAsync(384, 500);
        await HoldsAsync(() => publisher.Figures.Confirmed == 1000);
        await using (var newest = await OpenAsync(publisher.Key))
        {
            using var frame = await NextAsync(newest);
            Assert.InRange(frame.Step, 384ul, 499ul);
        }

        foreach (var loop in new uint[] { 0, 1, 63, 64, 300, 499 })
        {
            await using var relay = await RelaySource.OpenAsync(
                new RelayOptions(broker.Address) { Match = publisher.Key, From = loop, Warn = _told.Enqueue }, Ct);
            using var frame = await NextAsync(relay);
            Assert.Equal(loop, frame.Step);
        }

        _match.Hub.End(_end);
        Assert.Null(await publisher.EndAsync(_end, Ct));
    }

    [Fact]
    public async Task A_match_that_is_kept_no_longer_is_deleted()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address) { MaxAge = TimeSpan.FromSeconds(1) });
        await PublishAsync(0, 3);
        _match.Hub.End(_end);
        Assert.Null(await publisher.EndAsync(_end, Ct));
        await using var connection = await broker.Address.ConnectAsync("test", Ct);
        foreach (var stream in new[] { BrokerStreams.MatchStream(publisher.Key), BrokerStreams.FramesStream(publisher.Key, 2) })
        {
            await using var before = await StreamConsumer.OpenAsync(connection, stream, "first", Ct);
        }

        while ((await MatchDirectory.ReadAsync(connection, includesPast: true, Ct)).Any(
            one => one.Announcement.Key == publisher.Key && !one.IsExpired(DateTimeOffset.UtcNow)))
        {
        }

        await Assert.ThrowsAsync<BrokerException>(() => OpenAsync(publisher.Key));
        await MatchDirectory.DeleteExpiredAsync(broker.Address, Ct);
        foreach (var stream in new[] { BrokerStreams.MatchStream(publisher.Key), BrokerStreams.FramesStream(publisher.Key, 2) })
        {
            await Assert.ThrowsAsync<BrokerException>(() => StreamConsumer.OpenAsync(connection, stream, "first", Ct));
        }
    }

    [Fact]
    public async Task A_match_is_in_the_directory_twice_however_often_it_is_announced()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address) { Interval = TimeSpan.FromMilliseconds(1) });
        await PublishAsync(0, 3);
        await using var connection = await broker.Address.ConnectAsync("test", Ct);
        await HoldsAsync(() => publisher.Figures.Confirmed == 6);
        await using var running = await StreamConsumer.OpenAsync(connection, BrokerStreams.RunningStream, "first", Ct);
        for (var told = 0; told < 5;)
        {
            told += MatchDirectory.Parse(await running.ReadAsync(Ct))?.Key == publisher.Key ? 1 : 0;
        }

        // Listing the matches ends, although announcements keep arriving.
        var listing = MatchDirectory.ReadAsync(connection, includesPast: false, Ct).WaitAsync(TimeSpan.FromMinutes(1), Ct);
        Assert.Contains(await listing, match => match.Announcement.Key == publisher.Key && match.IsRunning);
        var alone = await MatchDirectory.ReadAsync(connection, includesPast: true, Ct, publisher.Key);
        Assert.Equal((publisher.Key, true), (Assert.Single(alone).Announcement.Key, alone[0].IsRunning));

        _match.Hub.End(_end);
        Assert.Null(await publisher.EndAsync(_end, Ct));
        await using var directory = await StreamConsumer.OpenAsync(connection, BrokerStreams.DirectoryStream, "first", Ct);
        var listed = new List<Announcement>();
        while (listed.Count < 2)
        {
            if (MatchDirectory.Parse(await directory.ReadAsync(Ct)) is { } one && one.Key == publisher.Key)
            {
                listed.Add(one);
            }
        }

        Assert.Equal([null, _end], listed.Select(one => one.End));
    }

    [Fact]
    public async Task Readers_learn_in_time_that_a_matchs_publisher_died()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address) { Interval = TimeSpan.FromSeconds(0.5) });
        await PublishAsync(0, 20);
        await HoldsAsync(() => publisher.Figures.Confirmed == 40);
        await using var relay = await RelaySource.OpenAsync(
            new RelayOptions(broker.Address) { Match = publisher.Key, From = 0, SilenceTimeout = TimeSpan.FromSeconds(0.2) }, Ct);
        for (var step = 0ul; step < 20; step++)
        {
            using var frame = await NextAsync(relay);
            Assert.Equal(step, frame.Step);
        }

        // The match is announced and sends nothing, so the reader waits for it.
        var next = relay.Sides[0].NextAsync(Ct).AsTask();
        Assert.NotSame(next, await Task.WhenAny(next, Task.Delay(TimeSpan.FromSeconds(1), Ct)));
        publisher.Dispose();
        var gone = await Assert.ThrowsAsync<BrokerException>(() => next);
        Assert.StartsWith($"its publisher is gone (nothing was heard of {publisher.Key} for ", gone.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_broker_that_goes_and_comes_back_costs_nothing()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address));
        await PublishAsync(0, 100);
        await HoldsAsync(() => publisher.Figures.Confirmed > 0);
        await using var relay = await RelaySource.OpenAsync(
            new RelayOptions(broker.Address) { Match = publisher.Key, From = 0, Warn = _told.Enqueue }, Ct);
        var reading = ReadAsync(relay.Sides[1]);
        await broker.StopAsync();
        await PublishAsync(100, 300);
        await HoldsAsync(() => publisher.Problem is not null);
        await broker.StartAsync();
        await PublishAsync(300, 400);
        _match.Hub.End(_end);
        Assert.Null(await publisher.EndAsync(_end, Ct));
        Assert.Equal(_published.Where(one => one.Perspective == 2), await reading);
        Assert.Equal((800, 0), (publisher.Figures.Confirmed, publisher.Figures.Missing));
        Assert.Empty(_told);
    }

    [Fact]
    public async Task A_brokers_delay_becomes_a_gap_that_readers_see()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address) { SpoolBytes = 40_000 });
        await PublishAsync(0, 10);
        await HoldsAsync(() => publisher.Figures.Confirmed == 20);
        broker.Signal("STOP");
        await PublishAsync(10, 599);
        await PublishAsync(599, 600, new PlaybackState { GameLoop = 599 });
        await HoldsAsync(() => _match.Hub.Subscribers.All(one => one.Queued == 0));
        broker.Signal("CONT");
        await HoldsAsync(() => publisher.Figures.Waiting == 0);
        await PublishAsync(600, 700);
        _match.Hub.End(_end);
        Assert.Null(await publisher.EndAsync(_end, Ct));
        var figures = publisher.Figures;
        Assert.InRange(figures.Missing, 100, 1380);
        Assert.Equal(1400, figures.Confirmed + figures.Missing);
        Assert.Equal(figures.Gaps, _told.Count);

        var told = new List<string>();
        await using var relay = await RelaySource.OpenAsync(
            new RelayOptions(broker.Address) { Match = publisher.Key, Warn = told.Add }, Ct);
        var read = (await ReadAsync(relay.Sides[0])).Concat(await ReadAsync(relay.Sides[1])).ToList();
        Assert.Equal(figures.Confirmed, read.Count);
        Assert.Equal(_published.OrderBy(one => one.Perspective).Intersect(read), read);
        Assert.Equal(figures.Gaps, told.Count);
        Assert.All(told, line => Assert.Matches("^steps [0-9]+ to [0-9]+ are missing: the broker was away", line));

        // The action was reported although its frame was left out.
        await using (var moved = await OpenAsync(publisher.Key))
        {
            var after = await NextAsync(moved);
            while (after.Frame.Jump is null)
            {
                after.Dispose();
                after = await NextAsync(moved);
            }

            Assert.Equal((599u, true), (after.Frame.Jump.GameLoop, after.Step >= 599));
            after.Dispose();
        }
    }

    [Fact]
    public async Task A_file_that_cannot_be_read_ends_the_publication_and_is_not_the_brokers_fault()
    {
        broker.Require();
        using var publisher = Publish(new PublishOptions(broker.Address) { SpoolBytes = 400_000 });
        await PublishAsync(0, 10);
        await HoldsAsync(() => publisher.Figures.Confirmed == 20);
        broker.Signal("STOP");

        // The window takes 1024 messages, and about 260 wait in memory. The others are in the file.
        for (var step = 10ul; publisher.Figures.Waiting < 1500; step++)
        {
            Assert.InRange(step, 0ul, 20_000ul);
            await PublishAsync(step, step + 1);
        }

        // The publisher encodes after the hub publishes, so it may not have written to the file yet.
        await HoldsAsync(() => new FileInfo(_spool).Length > 0);

        // Another program truncates the file, because this program keeps it locked.
        using (var cut = System.Diagnostics.Process.Start("truncate", ["--size=0", _spool]))
        {
            await cut.WaitForExitAsync(Ct);
        }

        broker.Signal("CONT");
        await HoldsAsync(() => publisher.Problem?.StartsWith("the messages that wait for the broker cannot be read from disk: ", StringComparison.Ordinal) == true);
        _match.Hub.End(_end);
        Assert.StartsWith(
            "publishing ended in the middle of the match: the messages that wait for the broker cannot be read from disk: ",
            await publisher.EndAsync(_end, Ct));
    }

    [Fact]
    public async Task A_match_whose_broker_never_answers_ends_in_time_and_says_what_was_not_published()
    {
        using var publisher = Publish(new PublishOptions(BrokerAddress.Parse("amqp://u:secret@127.0.0.1:1"))
        {
            EndDeadline = TimeSpan.FromSeconds(0.5),
        });
        await PublishAsync(0, 20);
        await HoldsAsync(() => publisher.Problem is not null);
        _match.Hub.End(_end);
        var line = await publisher.EndAsync(_end, Ct);
        Assert.StartsWith("44 messages of the match were not published: the broker is away: amqp://127.0.0.1:1 ", line);
        Assert.DoesNotContain("secret", line);
    }

    private static async Task<Read> NextAsync(RelaySource relay) => new((await relay.Sides[0].NextAsync(Ct))!);

    private static async Task<List<(uint Perspective, ulong Step, string Bytes)>> ReadAsync(IGameSource side)
    {
        var read = new List<(uint, ulong, string)>();
        while (await side.NextAsync(Ct) is { } frame)
        {
            read.Add((frame.Header.Perspective, frame.Header.Step, Convert.ToHexString(frame.Observation.Span)));
            frame.Release();
        }

        return read;
    }

    private Task<RelaySource> OpenAsync(string match) => RelaySource.OpenAsync(
        new RelayOptions(broker.Address) { Match = match, Warn = _told.Enqueue }, Ct);

    private MatchPublisher Publish(PublishOptions options) => new(
        _match.Hub, options, _spool, new SharedCompression(), new SidePath("publishing"), _told.Enqueue);

    private async Task PublishAsync(ulong first, ulong until, PlaybackState? jump = null)
    {
        for (var step = first; step < until; step++)
        {
            foreach (var perspective in new uint[] { 0, 2 })
            {
                var frame = _match.MakeFrame(step, Observations.Make(new Random((int)(step + perspective))), perspective);
                frame.Jump = jump;
                _published.Add((perspective, step, Convert.ToHexString(frame.Observation.Span)));
                await _match.Hub.Publisher.PublishAsync(frame, Ct);
            }
        }
    }

    private sealed record Read(ObservationFrame Frame) : IDisposable
    {
        public ulong Step => Frame.Header.Step;

        public void Dispose() => Frame.Release();
    }
}
