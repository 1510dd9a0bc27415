using System.Collections.Concurrent;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests.Writing;

public sealed class MatchRecorderTests
{
    private static readonly MatchEnd End = new() { MatchId = TestMatch.Name, Reason = EndReason.Finished };
    private static readonly RecorderOptions Patient = new()
    {
        DiskDeadline = TimeSpan.FromMinutes(2),
        EndDeadline = TimeSpan.FromMinutes(2),
    };

    private readonly ConcurrentQueue<string> _told = [];
    private readonly ConcurrentQueue<string> _failed = [];

    [Fact]
    public async Task A_match_is_recorded_with_all_perspectives_rows_requests_and_its_end()
    {
        using var match = new TestMatch(announce: false);
        match.Description.GameInfo = new ResponseGameInfo { MapName = "M" };
        using var file = new MemoryStream();
        using var recorder = Start(match, file, Patient);
        match.Hub.Announce(match.Description, match);
        var published = new List<(uint, ulong, byte[])>();
        for (var step = 0ul; step < 300; step++)
        {
            foreach (var perspective in new uint[] { 0, 2 })
            {
                var frame = match.MakeFrame(step, Observations.Make(new Random((int)step)), perspective);
                published.Add((perspective, step, frame.Observation.ToArray()));
                await match.Hub.Publisher.PublishAsync(frame, Ct);
            }

            recorder.Add(new LoggedStep(new StepRecord { Step = step }, 1, 2));
        }

        await match.Hub.CurrentMatch.RequestAsync(
            new CallGameRequest { Perspective = 2, Request = new() { Query = new() } }, "a", Identity.Anonymous, Ct);
        using var watcher = match.Hub.Subscribe(new(), new SubscriberInfo("test", false));
        var chat = new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = "watchers cannot act" } };
        watcher.Act(new Actions { Step = 299, RequestId = 6, Actions_ = { chat } });
        match.Hub.End(End);
        await recorder.EndAsync(End);

        using var read = RecordingReader.Open(new MemoryBytes(file.ToArray()));
        var description = match.Description.Clone();
        description.GameInfo = null;
        Assert.Null(read.Problem);
        Assert.Equal(description, read.Description);
        Assert.Equal(match.Description.GameInfo, read.ReadGameInfo());
        Assert.Equal(End, read.ReadEnd());
        Assert.Equal(Enumerable.Range(0, 300), read.Steps().Select(row => (int)row.Step));
        Assert.Equal((2u, "a"), read.Requests().Select(request => (request.Perspective, request.Agent)).Single());
        var refused = Assert.Single(read.Actions());
        Assert.Equal((299ul, "agent", 6u, 9u), (refused.Step, refused.Agent, refused.Outcome.RequestId, refused.Outcome.Error.Code));
        Assert.Empty(refused.Actions);
        Assert.InRange(refused.Bytes, (ulong)chat.CalculateSize(), 1000ul);
        foreach (var perspective in new uint[] { 0, 2 })
        {
            Assert.Equal(
                published.Where(one => one.Item1 == perspective).Select(one => (one.Item2, Hex(one.Item3))),
                Read(read, perspective).Select(one => (one.Step, Hex(one.Bytes))));
        }

        Assert.Equal(new RecordingFigures(file.ToArray().Length, 600, 0, 0, 0, 0, null), recorder.Figures);
        Assert.Empty(_told);
        Assert.Empty(_failed);
        match.AssertAllReleased();
        Assert.Equal("agent", Assert.Single(match.Hub.Subscribers).Name);
    }

    [Fact]
    public async Task A_stepped_match_waits_for_the_disk_and_nothing_is_missing()
    {
        using var match = new TestMatch();
        using var disk = new GatedDisk();
        using var recorder = Start(match, disk, Patient with { MostLost = 1 });
        ulong step = 0;
        Task published;
        do
        {
            published = match.PublishAsync(step++);
        }
        while (published.IsCompleted);
        Assert.InRange(step, 2ul, 5ul);
        disk.Open();
        await published;
        await EndAsync(match, recorder, step - 1);
        using var read = RecordingReader.Open(new MemoryBytes(disk.ToArray()));
        Assert.Equal(step, (ulong)Read(read, 0).Count);
        Assert.Empty(read.ReadGaps());
        Assert.Empty(_told);
    }

    [Theory]
    [InlineData(1, 0ul)]
    [InlineData(3, 1ul)]
    public async Task An_observation_that_is_longer_than_readers_take_is_a_gap(int steps, ulong longStep)
    {
        var tooLong = new ResponseObservation { Chat = { new ChatReceived { Message = new string('x', McapLimits.Message) } } };
        using var match = new TestMatch();
        var file = new MemoryStream();
        using var recorder = Start(match, file, Patient);
        for (ulong step = 0; step < (ulong)steps; step++)
        {
            await match.PublishAsync(step, step == longStep ? tooLong : null);
        }

        await EndAsync(match, recorder, (ulong)steps - 1);
        using var read = RecordingReader.Open(new MemoryBytes(file.ToArray()));
        var gap = Assert.Single(read.ReadGaps());
        Assert.Equal((longStep, 1ul), (gap.FirstStep, gap.Steps));
        Assert.Contains("bytes is longer than the 16777216 that readers accept", Assert.Single(_told), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_readers_would_refuse_is_a_row_that_is_missing()
    {
        using var match = new TestMatch();
        var file = new MemoryStream();
        using var recorder = Start(match, file, Patient);
        await match.PublishAsync(0);
        var draw = new DebugDraw { Text = { Enumerable.Repeat(new DebugText { WorldPos = new() { X = 20, Y = 30 } }, 400_000) } };
        Request tooLarge = new() { Debug = new() { Debug = { new DebugCommand { Draw = draw } } } };
        foreach (var (agent, request) in new[] { ("a", tooLarge), ("b", new Request { Query = new() }) })
        {
            await match.Hub.CurrentMatch.RequestAsync(new CallGameRequest { Request = request }, agent, Identity.Anonymous, Ct);
        }

        await EndAsync(match, recorder, 0);
        using var read = RecordingReader.Open(new MemoryBytes(file.ToArray()));
        Assert.Equal(["b"], read.Requests().Select(request => request.Agent));
        Assert.Equal(1, recorder.Figures.MissingRows);
    }

    [Fact]
    public async Task A_stepped_match_goes_on_without_a_disk_that_takes_nothing_and_the_gap_is_recorded_when_it_does()
    {
        using var match = new TestMatch();
        using var disk = new GatedDisk();
        using var recorder = Start(match, disk, Patient with { DiskDeadline = TimeSpan.Zero, MostLost = 1 });

        // The first step arrives when nothing waits for the disk. The later steps of this loop are lost.
        for (var step = 0ul; step < 100; step++)
        {
            await match.PublishAsync(step);
        }

        Assert.Contains("the disk made no room for 0 s: the match goes on", _told.First(), StringComparison.Ordinal);
        disk.Open();
        await HoldsAsync(() => recorder.Figures.Bytes > 0);
        for (var step = 100ul; step < 110; step++)
        {
            await match.PublishAsync(step);
        }

        await EndAsync(match, recorder, 109);
        Complete(disk.ToArray(), recorder, 110);
    }

    [Theory]
    [InlineData(5)]
    [InlineData(6)]
    public async Task Of_a_match_that_can_wait_a_chunk_and_what_waits_behind_it_are_not_on_the_disk_at_most(int writes)
    {
        const int size = 150 << 10;
        using var match = new TestMatch();
        using var disk = new GatedDisk(writes);
        using var recorder = Start(match, disk, Patient with { DiskDeadline = TimeSpan.FromSeconds(1) });
        var late = new ResponseObservation { Chat = { new ChatReceived { Message = new string('x', size) } } };
        ulong step = 0;
        for (; _told.IsEmpty; step++)
        {
            await match.PublishAsync(step, late);
        }

        // The file as a process leaves it that is killed now.
        using var left = RecordingReader.Open(new MemoryBytes(disk.ToArray()));
        var kept = Read(left, 0).Count;
        Assert.Equal(writes, disk.Writes.Count);
        Assert.InRange(((int)step - kept) * size, size, 8 << 20);
        disk.Open();
        await EndAsync(match, recorder, step - 1);
    }

    [Fact]
    public async Task A_match_in_real_time_does_not_wait_for_a_disk_that_takes_nothing()
    {
        const int steps = 24;
        using var match = new TestMatch(realtime: true);
        using var disk = new GatedDisk();
        using var recorder = Start(match, disk, Patient with { MostWaiting = 1 });
        var large = new ResponseObservation { Chat = { new ChatReceived { Message = new string('x', 1 << 20) } } };
        for (var step = 0ul; step < steps; step++)
        {
            Assert.True(match.PublishAsync(step, large).IsCompleted, $"step {step} waits");
        }

        disk.Open();
        await EndAsync(match, recorder, steps - 1);
        Assert.Equal(steps, recorder.Figures.Observations);
    }

    [Fact]
    public async Task Steps_that_come_too_fast_in_real_time_are_a_gap()
    {
        using var match = new TestMatch(realtime: true);
        using var disk = new GatedDisk();
        using var recorder = Start(match, disk, Patient with { MostWaiting = 1, QueueBytes = 1 });
        for (var step = 0ul; step < 50; step++)
        {
            await match.PublishAsync(step);
        }

        disk.Open();
        await HoldsAsync(() => match.Hub.Subscribers is [{ Dropped: 0 }]);
        await match.PublishAsync(50);
        await EndAsync(match, recorder, 50);
        Complete(disk.ToArray(), recorder, 51);
        Assert.Contains(_told, line => line.EndsWith("0 MiB waited to be recorded", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_full_disk_is_told_once_the_match_goes_on_and_what_was_written_is_read()
    {
        using var match = new TestMatch();
        using var disk = new FullDisk(room: 100_000);
        using var recorder = Start(match, disk, Patient with { MostLost = 1 });
        var begin = MonotonicClock.NowNs;
        for (var step = 0ul; step < 2000; step++)
        {
            // Three seconds apart, so that each has its own chunk.
            var bytes = Observations.Make(new Random((int)step)).ToByteArray();
            var arrived = begin + ((long)step * 3_000_000_000);
            var frame = Streaming.ObservationFrame.Copy(
                bytes, new FrameHeader(TestMatch.Name, 0, step, (uint)step, arrived, arrived));
            match.Frames.Add(frame);
            await match.Hub.Publisher.PublishAsync(frame, Ct);
        }

        await EndAsync(match, recorder, 1999);
        Assert.Equal("No space left on device", Assert.Single(_failed));
        Assert.Equal("No space left on device", recorder.Figures.Problem);
        Assert.Empty(match.Hub.Subscribers);
        match.AssertAllReleased();
        using var read = RecordingReader.Open(new MemoryBytes(disk.ToArray()));
        Assert.NotNull(read.Problem);
        var steps = Read(read, 0).Select(one => one.Step).ToList();
        Assert.NotEmpty(steps);
        Assert.Equal(Enumerable.Range(0, steps.Count), steps.Select(step => (int)step));
    }

    [Fact]
    public async Task A_defect_of_the_recorder_is_told_once_its_loss_counted_and_the_match_goes_on()
    {
        using var match = new TestMatch(realtime: true);
        using var disk = new GatedDisk();
        using var recorder = new MatchRecorder(
            match.Hub, disk, Patient with { MostWaiting = 1, QueueBytes = 1 },
            _ => throw new InvalidOperationException("a defect"), _failed.Enqueue);
        for (var step = 0ul; step < 50; step++)
        {
            await match.PublishAsync(step);
        }

        // Reporting the first gap fails.
        disk.Open();
        for (var step = 50ul; _failed.IsEmpty; step++)
        {
            await match.PublishAsync(step);
            await Task.Delay(1, Ct);
        }

        var newest = match.Hub.Perspectives.NewestStep(0);
        await match.PublishAsync(newest + 1);
        await EndAsync(match, recorder, newest + 1);
        Assert.Equal("a defect", Assert.Single(_failed));
        Assert.Equal("a defect", recorder.Figures.Problem);
        Assert.Equal((long)newest + 2, recorder.Figures.Observations + recorder.Figures.MissingObservations);
        Assert.Empty(match.Hub.Subscribers);
        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_disk_that_fails_in_a_way_nobody_foresaw_is_told_and_the_match_goes_on()
    {
        using var match = new TestMatch();
        using var disk = new DefectiveDisk();
        using var recorder = Start(match, disk, Patient with { QueueBytes = 1 });
        for (var step = 0ul; step < 50; step++)
        {
            await match.PublishAsync(step);
        }

        await EndAsync(match, recorder, 49);
        Assert.Equal("a defect", Assert.Single(_failed));
        Assert.Equal(50, recorder.Figures.Observations + recorder.Figures.MissingObservations);
        match.AssertAllReleased();
    }

    [Fact]
    public async Task A_disk_that_takes_nothing_at_the_end_is_told()
    {
        using var match = new TestMatch();
        using var disk = new GatedDisk();
        using var recorder = Start(match, disk, Patient with { DiskDeadline = TimeSpan.Zero, EndDeadline = TimeSpan.FromMilliseconds(1) });
        await match.PublishAsync(0);
        await EndAsync(match, recorder, 0);
        Assert.Equal("the disk accepted no data for 0.001 s", Assert.Single(_failed));
        disk.Open();
        await HoldsAsync(() => disk.IsClosed);
    }

    [Fact]
    public async Task A_match_that_ends_before_its_first_observation_leaves_a_recording()
    {
        using var match = new TestMatch();
        using var file = new MemoryStream();
        using var recorder = Start(match, file, Patient);
        await EndAsync(match, recorder, 0);
        using var read = RecordingReader.Open(new MemoryBytes(file.ToArray()));
        Assert.Equal(EndReason.Finished, read.ReadEnd()?.Reason);
        Assert.Empty(Read(read, 0));
        Assert.Empty(read.ReadGaps());
    }

    [Fact]
    public async Task Who_disposes_of_it_early_has_all_that_was_published()
    {
        using var match = new TestMatch();
        using var file = new MemoryStream();
        var recorder = Start(match, file, Patient);
        for (var step = 0ul; step < 20; step++)
        {
            await match.PublishAsync(step);
        }

        recorder.Dispose();
        using var read = RecordingReader.Open(new MemoryBytes(file.ToArray()));
        Assert.Null(read.Problem);
        Assert.Null(read.ReadEnd());
        Assert.Equal(20, Read(read, 0).Count);
    }

    [Fact]
    public void A_bridge_that_stops_before_a_match_leaves_an_empty_file()
    {
        using var match = new TestMatch(announce: false);
        using var file = new MemoryStream();
        using (Start(match, file, Patient))
        {
            match.Hub.Dispose();
        }

        Assert.Empty(file.ToArray());
        Assert.Empty(_failed);
    }

    [Fact]
    public async Task Rows_that_come_too_fast_are_counted()
    {
        using var match = new TestMatch();
        using var file = new MemoryStream();
        using var recorder = Start(match, file, Patient with { RowBytes = 1000 });
        for (var step = 0ul; step < 50; step++)
        {
            // Nothing was published yet, so these records wait.
            recorder.Add(new LoggedStep(new StepRecord { Step = step }, 1, 2));
        }

        await match.PublishAsync(0);
        await EndAsync(match, recorder, 0);
        using var read = RecordingReader.Open(new MemoryBytes(file.ToArray()));
        Assert.Equal(50, read.Steps().Count() + recorder.Figures.MissingRows);
        Assert.InRange(recorder.Figures.MissingRows, 30, 45);
    }

    // Every step is in the file, or in a gap that was reported and counted.
    private void Complete(byte[] file, MatchRecorder recorder, int steps)
    {
        using var read = RecordingReader.Open(new MemoryBytes(file));
        var there = Read(read, 0).Select(one => (int)one.Step).ToList();
        var gaps = read.ReadGaps().ToList();
        Assert.NotEmpty(there);
        Assert.NotEmpty(gaps);
        var missing = gaps.SelectMany(gap => Enumerable.Range((int)gap.FirstStep, (int)gap.Steps)).ToList();
        Assert.Equal(Enumerable.Range(0, steps), there.Concat(missing).Order());
        Assert.Equal(
            (there.Count, gaps.Count, missing.Count),
            (recorder.Figures.Observations, recorder.Figures.Gaps, recorder.Figures.MissingObservations));
        Assert.All(gaps, gap => Assert.Contains(
            $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing in the recording: {gap.Reason}",
            _told));
    }

    private static async Task EndAsync(TestMatch match, MatchRecorder recorder, ulong step)
    {
        var end = End.Clone();
        end.Step = step;
        match.Hub.End(end);
        await recorder.EndAsync(end);
    }

    private static List<(ulong Step, byte[] Bytes)> Read(RecordingReader recording, uint perspective)
    {
        var all = new List<(ulong, byte[])>();
        using var reader = recording.Observations(perspective);
        while (reader.Next(out var observation))
        {
            all.Add((observation.Step, observation.Bytes.ToArray()));
        }

        return all;
    }

    private static string Hex(byte[] bytes) => Convert.ToHexString(bytes);

    private MatchRecorder Start(TestMatch match, Stream file, RecorderOptions options) =>
        new(match.Hub, file, options, _told.Enqueue, _failed.Enqueue);
}
