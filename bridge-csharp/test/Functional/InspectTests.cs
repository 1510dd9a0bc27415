using System.Text.Json;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// <c>sc2bridge inspect</c> on the recording of a match: what it shows, and what it makes of a damaged one.
/// </summary>
public sealed class InspectTests : MatchFolderTests
{
    [Fact]
    public async Task A_match_is_shown_saved_and_drawn()
    {
        var file = await RecordAsync();
        var (json, picture) = (InFolder("inspect.json"), InFolder("inspect.png"));
        var canDraw = await PeerEnvironment.RunAsync(MatchFolder.Python, ["-c", "import matplotlib"], Ct);
        string[] drawn = canDraw.ExitCode == 0 ? ["--picture", picture, "--python", MatchFolder.Python] : [];
        using var inspect = Inspect([file, "--json", json, .. drawn]);
        var ended = await inspect.EndAsync();
        ended.Well();
        Assert.All(
            (string[])["Cinder Fortress LE, simulated", "Terran VeryHard", "60 observations, steps 0 to 59", "limit"],
            words => Assert.Contains(words, ended.Output, StringComparison.Ordinal));
        Assert.All(
            (string[])["/observation/0", "group zstd", "the game's answer", "JSON read"],
            words => Assert.Contains(words, ended.Output, StringComparison.Ordinal));
        Assert.DoesNotContain("missing", ended.Output, StringComparison.Ordinal);
        Assert.Equal(drawn.Length > 0, File.Exists(picture));

        using var report = JsonDocument.Parse(await File.ReadAllTextAsync(json, Ct));
        var root = report.RootElement;
        Assert.Equal(60, root.GetProperty("length").GetProperty("observations").GetInt32());
        Assert.Equal(0, root.GetProperty("gaps").GetArrayLength());
        var times = root.GetProperty("measures").EnumerateArray()
            .Where(row => row.GetProperty("unit").GetString() == "us")
            .ToDictionary(row => row.GetProperty("name").GetString()!, row => row.GetProperty("measured").GetInt32());
        Assert.Equal(60, times["the game's answer"]);
        Assert.Equal(60, times["JSON write"]);
        Assert.Equal(60, root.GetProperty("along").GetProperty("steps").GetArrayLength());
        Assert.True(root.GetProperty("attachments").GetProperty("data").GetInt64() > 1000);
    }

    [Fact]
    [Trait("Suite", "Long")]
    public async Task Its_map_is_drawn_and_filmed()
    {
        var file = await RecordAsync();
        var (picture, video) = (InFolder("map.png"), InFolder("match.gif"));
        foreach (var (arguments, says) in ((string[], string)[])
            [
                (["--loop", "5"], "--loop is for --map-picture"),
                (["--map-picture", picture, "--to", "5"], "--to is for --video"),
                (["--observe", "1"], "--observe is for --map-picture and --video"),
                (["--map-picture", picture, "--observe", "x"], "--observe x: write a player id"),
                (["--video", file], "is the recording itself"),
            ])
        {
            using var wrong = Inspect([file, .. arguments]);
            (await wrong.EndAsync()).Says(2, says);
        }

        var python = MatchFolder.Python;
        var canFilm = await PeerEnvironment.RunAsync(
            "sh", ["-c", $"{python} -c 'import matplotlib' && ffmpeg -version"], Ct);
        Assert.SkipUnless(canFilm.ExitCode == 0, "needs matplotlib and ffmpeg");
        using (var inspect = Inspect(
            [file, "--map-picture", picture, "--loop", "5", "--video", video, "--from", "3", "--to", "8", "--python", python]))
        {
            (await inspect.EndAsync()).Well();
        }

        Assert.Equal("PNG", (await BeginningAsync(picture))[1..4]);
        Assert.Equal("GIF89a", (await BeginningAsync(video))[..6]);

        // A drawing that fails leaves no file.
        File.Delete(picture);
        using var late = Inspect([file, "--map-picture", picture, "--loop", "60", "--python", python]);
        (await late.EndAsync()).Says(1, "the last frame is of loop 59");
        Assert.False(File.Exists(picture));
    }

    [Fact]
    public async Task A_cut_recording_is_shown_up_to_its_end_and_repaired()
    {
        var file = await RecordAsync();
        var whole = await File.ReadAllBytesAsync(file, Ct);
        var cut = InFolder("cut.mcap");
        await File.WriteAllBytesAsync(cut, whole[..^50], Ct);
        using (var inspect = Inspect([cut]))
        {
            var ended = await inspect.EndAsync();
            ended.Says(1, $"{cut}: the file is cut off", $"sc2bridge inspect {cut} --repair OUT writes a clean file");
            Assert.Contains("60 observations", ended.Output, StringComparison.Ordinal);
        }

        var clean = InFolder("clean.mcap");
        using (var repair = Inspect([cut, "--repair", clean]))
        {
            var ended = await repair.EndAsync();
            ended.Well();
            Assert.Contains($"{clean}: 60 observations kept (122 messages)", ended.Output, StringComparison.Ordinal);
        }

        using (var inspect = Inspect([clean]))
        {
            (await inspect.EndAsync()).Well();
        }

        using (var again = Inspect([cut, "--repair", clean]))
        {
            (await again.EndAsync()).Says(2, $"{clean} already exists: name another file");
        }

        // The first chunk (opcode 6, then its length in 8 bytes) holds the match's description alone.
        var end = 8;
        for (var kind = 0; kind != 6; end += 9 + (int)BitConverter.ToUInt64(whole, end + 1))
        {
            kind = whole[end];
        }

        await File.WriteAllBytesAsync(cut, whole[..(end + 20)], Ct);
        using var empty = Inspect([cut, "--repair", InFolder("empty.mcap")]);
        (await empty.EndAsync()).Says(1, $"{cut} has no complete observation: record the match again");
    }

    [Fact]
    public async Task A_viewer_has_the_recording_inside()
    {
        if (typeof(Cli.InspectCommand).Assembly.GetManifestResourceInfo("viewer.html") is null)
        {
            Assert.Skip("the viewer is missing: building it needs npm and its registry");
        }

        var recordings = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings");
        var sample = Path.Combine(recordings, "sample.mcap");
        var named = InFolder("a<b>&.mcap");
        File.Copy(sample, named);
        var page = InFolder("match.html");
        using (var written = Inspect([named, "--viewer", page]))
        {
            (await written.EndAsync()).Well();
        }

        var text = await File.ReadAllTextAsync(page, Ct);
        const string begin = "data-name=\"a&lt;b&gt;&amp;.mcap\">";
        var inside = text[(text.IndexOf(begin, StringComparison.Ordinal) + begin.Length)..];
        Assert.Equal(await File.ReadAllBytesAsync(sample, Ct), Convert.FromBase64String(inside[..inside.IndexOf("</script>", StringComparison.Ordinal)]));
        using (var again = Inspect([named, "--viewer", page]))
        {
            (await again.EndAsync()).Says(2, $"{page} already exists: name another file");
        }

        using (var other = Inspect([Path.Combine(recordings, "other.mcap"), "--viewer", InFolder("other.html")]))
        {
            (await other.EndAsync()).Says(2, "has no observations to show: record a match that has steps");
        }

        await using (var large = new FileStream(named, FileMode.Open))
        {
            large.SetLength(ViewerCopy.MostBytes + 1);
        }

        using var refused = Inspect([named, "--viewer", InFolder("large.html")]);
        (await refused.EndAsync()).Says(2, "a viewer holds at most 25 MB", "sc2bridge-viewer.html");
    }

    [Fact]
    public async Task A_stopped_repair_leaves_no_partial_file()
    {
        var file = InFolder("match.mcap");
        (await Folder.PlayAsync("--rate", "max", "--steps", "2000", "--recording", file)).Well();
        Ended ended;
        var tries = 0;
        do
        {
            // The process is stopped just after it starts to write. It receives the signal when it continues.
            var clean = InFolder($"clean-{++tries}.mcap");
            using var repair = Inspect([file, "--repair", clean]);
            Assert.True(SpinWait.SpinUntil(() => File.Exists(clean), TimeSpan.FromMinutes(1)));
            BridgeProcess.TrySignal(repair.Id, BridgeProcess.Stop);
            BridgeProcess.TrySignal(repair.Id, BridgeProcess.Interrupt);
            BridgeProcess.TrySignal(repair.Id, BridgeProcess.Continue);
            ended = await repair.EndAsync();
            if (File.Exists(clean))
            {
                // It had finished before the signal.
                ended.Well();
                using var recording = RecordingReader.Open(clean);
                Assert.Equal((null, 2000L), (recording.Problem, recording.Count(0)));
            }
            else
            {
                ended.Says(130, "stopped");
            }
        }
        while (ended.ExitCode == 0 && tries < 20);

        Assert.Equal(130, ended.ExitCode);
    }

    [Theory]
    [InlineData]
    [InlineData("--repair", "clean.mcap")]
    [InlineData("--foxglove", "copy.mcap")]
    [InlineData("--viewer", "match.html")]
    public async Task An_unreadable_recording_is_reported_as_damaged(params string[] options)
    {
        var file = InFolder("cut.mcap");
        await File.WriteAllBytesAsync(
            file, (await File.ReadAllBytesAsync(Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap"), Ct))[..300], Ct);
        using var inspect = Inspect([file, .. options]);
        (await inspect.EndAsync()).Says(1, $"{file}: the file is cut off", "record the match again");
        using var replay = BridgeProcess.Start([.. BridgeProcess.Program, "replay", file]);
        (await replay.EndAsync()).Says(1, $"{file}: the file is cut off", "record the match again");
    }

    [Theory]
    [InlineData("watch it with 'sc2bridge replay'", "match.SC2Replay")]
    [InlineData("/there/is/none.mcap cannot be opened", "/there/is/none.mcap")]
    [InlineData("this is not an MCAP file: give a recording of sc2bridge", "silent.py")]
    [InlineData("leave out --json, --fights and all pictures", "silent.py", "--repair", "a.mcap", "--json", "a.json")]
    [InlineData("leave out --json, --fights and all pictures", "silent.py", "--foxglove", "a.mcap", "--json", "a.json")]
    [InlineData("give one option now", "silent.py", "--foxglove", "a.mcap", "--repair", "b.mcap")]
    [InlineData("this is not an MCAP file", "silent.py", "--foxglove", "a.mcap")]
    [InlineData("/there/is/none/a.json cannot be written", "silent.py", "--json", "/there/is/none/a.json")]
    [InlineData("silent.py is the recording itself: name another file", "silent.py", "--json", "./silent.py")]
    [InlineData("FILE is missing: a recording (.mcap) (sc2bridge inspect --help-all shows the options)")]
    public async Task What_cannot_be_done_is_said_in_one_line(string words, params string[] options)
    {
        using var inspect = Inspect(options);
        (await inspect.EndAsync()).Says(2, "sc2bridge: ", words);
    }

    private static BridgeProcess Inspect(IEnumerable<string> options) =>
        BridgeProcess.Start(options.Prepend("inspect"));

    private static async Task<string> BeginningAsync(string file) => System.Text.Encoding.Latin1.GetString(
        await File.ReadAllBytesAsync(file, Ct), 0, 8);

    private string InFolder(string name) => Path.Combine(Folder.Path, name);

    private async Task<string> RecordAsync()
    {
        var file = InFolder("match.mcap");
        (await Folder.PlayAsync("--rate", "max", "--steps", "60", "--recording", file, "--codec-log", "full")).Well();
        return file;
    }
}
