using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>The recording that a match leaves, however it ends.</summary>
public sealed class RecordingTests : MatchFolderTests
{
    private string Recording => Path.Combine(Folder.Out, "match.mcap");

    [Fact]
    public async Task It_contains_the_agents_frames_the_steps_and_the_requests()
    {
        var heard = Directory.CreateDirectory(Path.Combine(Folder.Path, "heard")).FullName;
        using var match = Folder.Match(
            [
                "--steps", "20", "--observe", "1", "--policy", "lockstep", "--codec-log", "full",
                "--agent", "collector:Collector", "--agent", "asker:Asker@proto",
            ],
            [("COLLECT", heard)]);
        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains($"recording: {Recording}, ", ended.Output, StringComparison.Ordinal);
        Assert.Contains("20 observations", ended.Output, StringComparison.Ordinal);

        using var recording = RecordingReader.Open(Recording);
        Assert.Null(recording.Problem);
        var files = Directory.GetFiles(Assert.Single(Directory.GetDirectories(heard))).Order().ToList();
        Assert.Equal(20, files.Count);
        var observations = Observations(recording, 1);
        Assert.Equal(
            files.Select(file => Convert.ToHexString(File.ReadAllBytes(file))),
            observations.Select(observation => Convert.ToHexString(observation.Bytes)));
        Assert.Equal("Cinder Fortress LE", recording.ReadGameInfo()?.MapName);
        Assert.NotEmpty(recording.ReadData()!.Units);
        Assert.Equal(V1.EndReason.StepLimit, recording.ReadEnd()?.Reason);
        Assert.Equal(
            Folder.Steps().Rows.Select(row => $"{row["step"]} {row["proto_bytes"]} {row["zstd_bytes"]}"),
            recording.Steps().Select(row => $"{row.Step} {row.ProtoBytes} {row.ZstdBytes}"));
        var requests = recording.Requests().ToList();
        Assert.Equal([0ul, 10ul, 19ul], requests.Select(request => request.Step));
        Assert.All(requests[..2], request => Assert.Equal((1u, "asker-2-proto"), (request.Perspective, request.Agent)));
        Assert.All(requests[..2], request => Assert.NotEmpty(request.Response.Ping.GameVersion));
        Assert.Contains("only the bridge may send it", requests[2].Refusal, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_killed_bridge_leaves_all_whole_chunks()
    {
        using var match = Folder.Match("--rate", "max");
        var partial = new FileInfo(Recording + ".partial");
        await match.UntilAsync(() =>
        {
            partial.Refresh();
            return partial is { Exists: true, Length: > 300_000 };
        });
        match.Signal(BridgeProcess.KillSignal);
        Assert.Equal(137, (await match.EndAsync()).ExitCode);
        using var recording = RecordingReader.Open(partial.FullName);
        Assert.Contains("inspect", recording.Problem, StringComparison.Ordinal);
        Assert.Null(recording.ReadEnd());

        // A chunk is closed at 8 MiB, which the first steps come to some 170 times.
        Complete(recording, atLeast: 170);
    }

    [Fact]
    public async Task A_stopped_match_closes_it()
    {
        using var match = Folder.Match("--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        match.Signal(BridgeProcess.Interrupt, group: true);
        Assert.Equal(130, (await match.EndAsync()).ExitCode);
        using var recording = RecordingReader.Open(Recording);
        Assert.Null(recording.Problem);
        Assert.Equal((V1.EndReason.Stopped, false), (recording.ReadEnd()?.Reason, recording.ReadEnd()?.Aborted));
        Assert.Equal(Folder.Steps().Rows.Count, Complete(recording, atLeast: 20));
    }

    [Fact]
    public async Task A_killed_game_closes_it()
    {
        using var match = Folder.Match("--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        BridgeProcess.Signal(match.Games().Single(), BridgeProcess.KillSignal);
        (await match.EndAsync()).Says(1, "The simulated game was ended by signal 9");
        using var recording = RecordingReader.Open(Recording);
        Assert.Null(recording.Problem);
        Assert.True(recording.ReadEnd()?.Aborted);
        Assert.Equal(Folder.Steps().Rows.Count, Complete(recording, atLeast: 20));
    }

    [Fact]
    public async Task A_full_disk_at_the_start_is_one_line_and_the_match_continues()
    {
        var ended = await Folder.PlayAsync(
            "--steps", "20", "--recording", "/dev/full", "--agent", "sc2bridge.agents:Watcher");
        ended.Says(1, "the recording /dev/full could not be written (No space left on device", "--recording");
        Assert.Contains("20 frames, loops 0-19", ended.Told, StringComparison.Ordinal);
        Assert.True(File.Exists("/dev/full"));
    }

    [Fact]
    public async Task A_disk_that_becomes_full_is_one_line_and_all_complete_chunks_are_kept()
    {
        var disk = new SmallDisk(Folder);
        var kept = Path.Combine(Folder.Path, "kept.mcap");
        var partial = Path.Combine(disk.Path, "match.mcap.partial");
        using var match = Folder.Match(
            ["--steps", "1000", "--recording", Path.Combine(disk.Path, "match.mcap")], [],
            await disk.AroundAsync($"cp {partial} {kept}"));
        var ended = await match.EndAsync();
        ended.Says(
            1, $"the recording {disk.Path}/match.mcap could not be written (No space left on device", "--recording");
        Assert.Contains("ended (step limit) at game loop 999", ended.Output, StringComparison.Ordinal);
        Assert.Contains($"recording: {partial}, ", ended.Output, StringComparison.Ordinal);
        using var recording = RecordingReader.Open(kept);
        Assert.NotNull(recording.Problem);
        Complete(recording, atLeast: 100);
    }

    [Fact]
    public async Task A_recording_that_cannot_be_made_is_named_before_a_game_starts()
    {
        var ended = await Folder.PlayAsync("--recording", "/dev/null/match.mcap");
        ended.Says(2, "cannot write the recording /dev/null/match.mcap", "--no-recording");
        Assert.Equal("", ended.Output);
    }

    [Fact]
    public async Task A_recording_that_is_there_is_not_overwritten()
    {
        var file = Path.Combine(Folder.Path, "mine.mcap");
        await File.WriteAllTextAsync(file, "mine", Ct);
        var ended = await Folder.PlayAsync("--recording", file);
        ended.Says(2, $"{file} already exists: name another file with --recording, or delete it");
        Assert.Equal("mine", await File.ReadAllTextAsync(file, Ct));
        Assert.False(Directory.Exists(Folder.Out));
    }

    [Fact]
    public async Task No_recording_is_made_if_the_user_wants_none()
    {
        (await Folder.PlayAsync("--steps", "20", "--no-recording")).Well();
        Assert.False(File.Exists(Recording));
    }

    // Gives how many there are.
    private static int Complete(RecordingReader recording, int atLeast)
    {
        var steps = Observations(recording, 0).Select(observation => (int)observation.Step).ToList();
        Assert.Equal(Enumerable.Range(0, steps.Count), steps);
        Assert.True(steps.Count >= atLeast, $"{steps.Count} observations instead of {atLeast}");
        Assert.Empty(recording.ReadGaps());
        return steps.Count;
    }

    // The part of the frames that can be read.
    internal static List<(ulong Step, byte[] Bytes)> Observations(RecordingReader recording, uint perspective)
    {
        var all = new List<(ulong, byte[])>();
        using var reader = recording.Observations(perspective);
        while (reader.Next(out var observation))
        {
            all.Add((observation.Step, observation.Bytes.ToArray()));
        }

        return all;
    }
}
