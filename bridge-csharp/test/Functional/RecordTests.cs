using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Recordings of replays.</summary>
public sealed class RecordTests : MatchFolderTests
{
    // A pass takes some seconds, so that the test can stop it.
    private const uint Long = 3000;

    private string Replays => Path.Combine(Folder.Path, "replays");

    private string Recordings => Path.Combine(Folder.Path, "recordings");

    [Theory]
    [InlineData(1, "1")]
    [InlineData(2, "8")]
    public async Task A_recording_of_a_replay_is_that_of_its_match(uint observe, string stepSize)
    {
        const uint Loops = 320;
        (await Folder.PlayAsync(
            "--observe", $"{observe}", "--step-size", stepSize, "--steps",
            $"{(Loops / uint.Parse(stepSize, System.Globalization.CultureInfo.InvariantCulture)) + 1}")).Well();
        Write("a.SC2Replay", SimulatedReplay.Make(Loops));
        (await RecordAsync("--step-size", stepSize)).Well();

        using var match = RecordingReader.Open(Path.Combine(Folder.Out, "match.mcap"));
        using var replay = RecordingReader.Open(Recording($"a.player{observe}"));

        // The replay ends with its results. The match continued after the replay was saved.
        var (played, watched) = (Observations(match, observe).ToArray(), Observations(replay, observe).ToArray());
        Assert.Equal(played.SkipLast(1), watched.SkipLast(1));
        Assert.StartsWith(played[^1].Bytes, watched[^1].Bytes, StringComparison.Ordinal);
        Assert.Equal(match.ReadGameInfo(), replay.ReadGameInfo());
        Assert.Equal(match.ReadData(), replay.ReadData());
        Assert.Equal(match.Description.Players, replay.Description.Players);
        Assert.Equal(match.Description.Ping, replay.Description.Ping);
        Assert.Null(replay.Problem);
        Assert.Empty(replay.ReadGaps());

        // A replay does not have the match's seed and name, the step log, or the requests and actions of agents, which only
        // the bridge received.
        Assert.Equal((0u, "a.SC2Replay"), (replay.Description.Seed, replay.Description.Replay));
        Assert.Empty(replay.Steps());
        Assert.Equal((V1.EndReason.Finished, Loops), (replay.ReadEnd()!.Reason, replay.ReadEnd()!.GameLoop));
        var inspected = await InspectAsync(Recording($"a.player{observe}"));
        inspected.Well();
        Assert.Contains(", replay a.SC2Replay, ", inspected.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_is_recorded_once_without_its_damaged_replays()
    {
        Write("a.SC2Replay", SimulatedReplay.Make(60));
        Write("below/b.sc2replay", SimulatedReplay.Make(40));
        Write("cut.SC2Replay", SimulatedReplay.Make(40)[..^7]);
        Write("other.SC2Replay", "no replay"u8.ToArray());
        Write("notes.txt", "nothing"u8.ToArray());
        var ended = await RecordAsync("--jobs", "2");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(4, ended.Error.Count);
        Assert.Contains(
            "sc2bridge: cut.SC2Replay player 1: The game cannot read the replay", string.Join('\n', ended.Error),
            StringComparison.Ordinal);
        Assert.Contains("other.SC2Replay is not a replay", string.Join('\n', ended.Error), StringComparison.Ordinal);
        Assert.Contains("4 recorded, 0 were there, 4 failed", ended.Output, StringComparison.Ordinal);
        Assert.Contains("8 of 8: ", ended.Told, StringComparison.Ordinal);
        string[] files = ["a.player1.mcap", "a.player2.mcap", "below/b.player1.mcap", "below/b.player2.mcap"];
        Assert.Equal(files, Files());

        var made = files.ToDictionary(file => file, file => File.GetLastWriteTimeUtc(Path.Combine(Recordings, file)));
        File.Delete(Path.Combine(Replays, "cut.SC2Replay"));
        File.Delete(Path.Combine(Replays, "other.SC2Replay"));
        Write("c.SC2Replay", SimulatedReplay.Make(20));
        ended = await RecordAsync();
        ended.Well();
        Assert.Contains("2 recorded, 4 were there, 0 failed", ended.Output, StringComparison.Ordinal);
        Assert.All(made, one => Assert.Equal(one.Value, File.GetLastWriteTimeUtc(Path.Combine(Recordings, one.Key))));
    }

    [Fact]
    public async Task A_killed_command_leaves_no_partial_recording_and_can_be_continued()
    {
        Write("a.SC2Replay", SimulatedReplay.Make(Long));
        using (var record = Record())
        {
            await record.UntilAsync(() => File.Exists(Recording("a.player1") + ".partial"));
            record.Signal(BridgeProcess.KillSignal);
            Assert.Equal(137, (await record.EndAsync()).ExitCode);
        }

        Assert.Equal(["a.player1.mcap.lock", "a.player1.mcap.partial"], Files());
        (await RecordAsync("--jobs", "2")).Well();
        Assert.Equal(["a.player1.mcap", "a.player2.mcap"], Files());
        using var recording = RecordingReader.Open(Recording("a.player1"));
        Assert.Equal(Long + 1, recording.Count(1));
    }

    [Fact]
    [Trait("Suite", "Long")]
    public async Task A_recording_that_another_process_writes_is_left_alone_if_the_file_system_has_no_file_locks()
    {
        (string, string)[] noLocks = [("DOTNET_SYSTEM_IO_DISABLEFILELOCKING", "1")];
        Write("a.SC2Replay", SimulatedReplay.Make(Long));
        using var first = Record(noLocks, "--observe", "1");
        var partial = Recording("a.player1") + ".partial";
        await first.UntilAsync(() => File.Exists(partial) && new FileInfo(partial).Length > 0);
        first.Signal(BridgeProcess.Stop);
        using var second = Record(noLocks, "--observe", "1");
        (await second.EndAsync()).Says(1, $"cannot write {partial} (process ", "holds ");
        first.Signal(BridgeProcess.Continue);
        (await first.EndAsync()).Well();
        using var recording = RecordingReader.Open(Recording("a.player1"));
        Assert.Equal(Long + 1, recording.Count(1));
    }

    [Theory]
    [InlineData(BridgeProcess.Interrupt)]
    [InlineData(BridgeProcess.Terminate)]
    public async Task A_stopped_command_leaves_only_complete_recordings_and_no_process(int signal)
    {
        Write("a.SC2Replay", SimulatedReplay.Make(60));
        Write("b.SC2Replay", SimulatedReplay.Make(Long));
        using var record = Record();
        await record.UntilAsync(() => File.Exists(Recording("b.player1") + ".partial"));
        record.Signal(signal, group: signal == BridgeProcess.Interrupt);
        var ended = await record.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        Assert.Contains("2 recorded, 0 were there, 0 failed", ended.Output, StringComparison.Ordinal);
        Assert.Equal(["a.player1.mcap", "a.player2.mcap"], Files());
    }

    [Fact]
    public async Task A_killed_game_fails_only_its_own_pass()
    {
        Write("a.SC2Replay", SimulatedReplay.Make(Long));
        Write("b.SC2Replay", SimulatedReplay.Make(60));
        using var record = Record("--observe", "1");
        await record.UntilAsync(() => File.Exists(Recording("a.player1") + ".partial"));
        BridgeProcess.Signal(record.Games().Single(), BridgeProcess.KillSignal);
        (await record.EndAsync()).Says(1, "a.SC2Replay player 1: ", "The simulated game was ended by signal 9");
        Assert.Equal(["b.player1.mcap"], Files());
    }

    [Fact]
    public async Task A_missing_version_fails_only_its_own_replays()
    {
        var installation = new MadeUpInstallation(Path.Combine(Folder.Path, "StarCraftII")).Add(75689).Add(80949);
        Write("a.SC2Replay", SimulatedReplay.Make(40, 75689, "AB"));
        Write("b.SC2Replay", SimulatedReplay.Make(40, 77777, "CD"));
        Write("c.SC2Replay", SimulatedReplay.Make(40, 80949, "EF"));
        Write("d.SC2Replay", MadeUpReplay.Bytes(75800, null));
        using var record = Record([("SC2PATH", installation.Root)], "--game", "starcraft");
        var ended = await record.EndAsync();
        Assert.Equal(1, ended.ExitCode);
        Assert.Contains("4 recorded, 0 were there, 4 failed", ended.Output, StringComparison.Ordinal);
        foreach (var missing in new[] { 77777, 75800 })
        {
            Assert.Equal(2, ended.Error.Count(line => line.Contains(
                $"Versions/Base{missing} is not in", StringComparison.Ordinal)));
        }

        Assert.Equal(["a.player1.mcap", "a.player2.mcap", "c.player1.mcap", "c.player2.mcap"], Files());

        // The running game reads the next replay's version. It is reused if the versions are equal.
        Assert.Equal(["80949", "75689 -dataVersion AB", "80949 -dataVersion EF"], installation.Started);
    }

    [Fact]
    public async Task Similar_failures_are_reported_once()
    {
        for (var number = 0; number < 6; number++)
        {
            Write($"{number}.SC2Replay", MadeUpReplay.Bytes(75800, null));
        }

        var ended = await RecordAsync("--jobs", "2");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(2, ended.Error.Count);
        Assert.Contains("which only the game itself can play", ended.Error[0], StringComparison.Ordinal);
        Assert.Equal("sc2bridge: 11 more failed for the same reason", ended.Error[1]);
    }

    [Fact]
    public async Task Perspectives_are_chosen_and_missing_ones_are_reported()
    {
        Write("a.SC2Replay", SimulatedReplay.Make(40));
        var ended = await RecordAsync("--observe", "0", "--observe", "2", "--observe", "3");
        ended.Says(1, "a.SC2Replay player 3: There is no player 3 in the replay", "observe 1 or 2, or 0");
        Assert.Equal(["a.observer.mcap", "a.player2.mcap"], Files());
        using var recording = RecordingReader.Open(Recording("a.observer"));
        Assert.Equal([0u], recording.Perspectives);
    }

    [Fact]
    public async Task An_existing_file_is_kept_unless_it_is_a_partial_recording()
    {
        Write("a.SC2Replay", SimulatedReplay.Make(200));
        (await RecordAsync()).Well();
        (await RecordAsync("--step-size", "2", "--observe", "1")).Says(
            1, "a.player1.mcap is another recording", "move it away");
        var whole = await File.ReadAllBytesAsync(Recording("a.player1"), Ct);
        await File.WriteAllTextAsync(Recording("a.player2"), "mine", Ct);
        (await RecordAsync("--observe", "2")).Says(1, "a.player2.mcap", "not an MCAP file");
        Assert.Equal("mine", await File.ReadAllTextAsync(Recording("a.player2"), Ct));

        await File.WriteAllBytesAsync(Recording("a.player1"), whole[..^100], Ct);
        var ended = await RecordAsync("--observe", "1");
        ended.Well();
        Assert.Contains("1 recorded, 0 were there", ended.Output, StringComparison.Ordinal);
        using var recording = RecordingReader.Open(Recording("a.player1"));
        Assert.Null(recording.Problem);
    }

    [Theory]
    [InlineData("'nowhere' does not exist: name a replay", "nowhere")]
    [InlineData("has no replays (.SC2Replay): name another folder", ".")]
    [InlineData("would both become", "x/a.SC2Replay", "y/a.SC2Replay")]
    [InlineData("leave out --jobs", "x/a.SC2Replay", "--attach", "127.0.0.1:1", "--jobs", "2")]
    [InlineData("cannot write", "x/a.SC2Replay", "--observe", "1", "--out", "/proc/none")]
    public async Task What_cannot_be_done_is_said_in_a_line(string why, params string[] words)
    {
        Write("x/a.SC2Replay", SimulatedReplay.Make(5));
        Write("y/a.SC2Replay", SimulatedReplay.Make(6));
        Directory.CreateDirectory(Path.Combine(Replays, "empty"));
        List<string> named =
        [
            "record",
            .. words.Select(word => word == "." ? Path.Combine(Replays, "empty")
                : word.EndsWith(".SC2Replay", StringComparison.Ordinal) ? Path.Combine(Replays, word)
                : word),
            .. words.Contains("--out") ? [] : new[] { "--out", Recordings },
        ];
        using var record = BridgeProcess.Start(named);
        (await record.EndAsync()).Says(why == "cannot write" ? 1 : 2, why);
    }

    private static List<(ulong Step, uint Loop, string Bytes)> Observations(RecordingReader recording, uint perspective)
    {
        var all = new List<(ulong, uint, string)>();
        using var reader = recording.Observations(perspective);
        while (reader.Next(out var observation))
        {
            all.Add((observation.Step, observation.GameLoop, Convert.ToHexString(observation.Bytes.Span)));
        }

        return all;
    }

    private static async Task<Ended> InspectAsync(string recording)
    {
        List<string> words = ["inspect", recording];
        using var inspect = BridgeProcess.Start(words);
        return await inspect.EndAsync();
    }

    private string Recording(string name) => Path.Combine(Recordings, name + ".mcap");

    private void Write(string name, byte[] replay)
    {
        var path = Path.Combine(Replays, name);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        File.WriteAllBytes(path, replay);
    }

    private string[] Files() =>
    [
        .. Directory.EnumerateFiles(Recordings, "*", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(Recordings, file)).Order(StringComparer.Ordinal),
    ];

    private async Task<Ended> RecordAsync(params string[] more)
    {
        using var record = Record(more);
        return await record.EndAsync();
    }

    private BridgeProcess Record(params string[] more) => Record([], more);

    // Records replays one after the other, unless the options say otherwise.
    private BridgeProcess Record(IEnumerable<(string Name, string Value)> environment, params string[] more)
    {
        string[] jobs = more.Contains("--jobs") ? [] : ["--jobs", "1"];
        List<string> words = ["record", Replays, "--out", Recordings, .. jobs, .. more];
        return BridgeProcess.Start(words, environment);
    }
}
