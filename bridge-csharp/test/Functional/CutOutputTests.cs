using System.Globalization;
using System.Text.RegularExpressions;
using Sc2Bridge.Files;
using Sc2Bridge.Recordings;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Functional.Tests;

/// <summary>The files of matches, with other writers in the folder and with every kind of end.</summary>
public sealed partial class CutOutputTests : MatchFolderTests
{
    // Bytes of observations: in the open chunk, and in the queue after it.
    private const long MostLost = 8 << 20;

    [Fact]
    public async Task A_match_does_not_use_the_folder_of_a_match_of_the_same_second()
    {
        // Covers a match that starts at any time within the next five minutes.
        var begin = DateTime.Now;
        for (var second = 0; second < 300; second++)
        {
            var taken = Path.Combine(Folder.Path, "out", Name(begin.AddSeconds(second)));
            Directory.CreateDirectory(taken);
            await File.WriteAllTextAsync(Path.Combine(taken, "summary.json"), "first", Ct);
        }

        using var match = InFolder("--steps", "5");
        (await match.EndAsync()).Well();
        var made = Assert.Single(Directory.GetDirectories(Path.Combine(Folder.Path, "out"), "*-2"));
        IsWhole(Path.Combine(made, "match.mcap"), 5);
        Assert.All(
            Directory.GetFiles(Path.Combine(Folder.Path, "out"), "summary.json", SearchOption.AllDirectories)
                .Where(file => !file.StartsWith(made, StringComparison.Ordinal)),
            file => Assert.Equal("first", File.ReadAllText(file)));

        static string Name(DateTime time) => "match-" + time.ToString("yyyyMMdd'-'HHmmss", CultureInfo.InvariantCulture);
    }

    [Fact]
    public async Task Matches_that_start_at_the_same_time_have_separate_folders()
    {
        var matches = Enumerable.Range(0, 3).Select(_ => InFolder("--steps", "30")).ToList();
        foreach (var match in matches)
        {
            using (match)
            {
                (await match.EndAsync()).Well();
            }
        }

        var recordings = Directory.GetFiles(Path.Combine(Folder.Path, "out"), "*", SearchOption.AllDirectories)
            .Where(file => file.EndsWith(".mcap", StringComparison.Ordinal)).ToList();
        Assert.Equal(3, recordings.Count);
        Assert.All(recordings, recording => IsWhole(recording, 30));
    }

    [Fact]
    public async Task A_folder_belongs_to_one_match_during_and_after_it()
    {
        using var first = Folder.Match("--rate", "100", "--steps", "10000");
        await first.UntilAsync(() => Folder.StepsSoFar() >= 20);
        (await Folder.PlayAsync("--steps", "5")).Says(2, $"another sc2bridge writes to {Folder.Out}", "--out");
        first.Signal(BridgeProcess.Interrupt, group: true);
        Assert.Equal(130, (await first.EndAsync()).ExitCode);
        IsWhole(Path.Combine(Folder.Out, "match.mcap"), Folder.Steps().Rows.Count);
        var before = await File.ReadAllBytesAsync(Path.Combine(Folder.Out, "match.mcap"), Ct);

        (await Folder.PlayAsync("--steps", "5")).Says(2, $"{Folder.Out} contains an earlier match (match.mcap)", "--out");
        Assert.Equal(before, await File.ReadAllBytesAsync(Path.Combine(Folder.Out, "match.mcap"), Ct));
        Assert.Equal(
            ["agents.csv", "bridge.log", "match.mcap", "steps.csv", "summary.json"],
            Directory.GetFileSystemEntries(Folder.Out).Select(Path.GetFileName).Order());
    }

    [Fact]
    public async Task A_failed_start_can_be_repeated_in_the_same_folder()
    {
        (await Folder.PlayAsync("--map", "Nowhere LE")).Says(2, "Nowhere LE");
        (await Folder.PlayAsync("--steps", "5")).Well();
        IsWhole(Path.Combine(Folder.Out, "match.mcap"), 5);
    }

    [Fact]
    public async Task A_folder_that_is_deleted_during_the_match_is_reported_and_the_match_continues()
    {
        using var match = Folder.Match("--rate", "100", "--steps", "300");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        Directory.Delete(Folder.Out, recursive: true);
        var ended = await match.EndAsync();
        ended.Says(1, "match.mcap could not be written", "moved or deleted", "steps.csv", "summary.json");
        Assert.Contains("ended (step limit) at game loop 299", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_recording_in_another_folder_is_found_from_its_interrupted_match()
    {
        var file = Path.Combine(Directory.CreateDirectory(Path.Combine(Folder.Path, "else")).FullName, "tonight.mcap");
        using (var match = Folder.Match("--rate", "100", "--recording", file))
        {
            await match.UntilAsync(() => Folder.StepsSoFar() >= 300);
            match.Signal(BridgeProcess.KillSignal);
            await match.EndAsync();
        }

        var ended = await Folder.PlayAsync("--steps", "1", "--out", Path.Combine(Folder.Path, "next"));
        ended.Well();
        var (path, kept, _) = Assert.Single(Repaired(ended.Told));
        Assert.Equal(file, path);
        IsWhole(file, kept);
        Assert.False(File.Exists(file + ".partial"));
    }

    [Fact]
    public async Task Inspecting_a_cut_recording_renames_it()
    {
        using (var match = Folder.Match("--rate", "100"))
        {
            await match.UntilAsync(() => Folder.StepsSoFar() >= 300);
            var partial = Path.Combine(Folder.Out, "match.mcap.partial");

            // The file stays as it is while it is written.
            using var live = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", partial]);
            var seen = await live.EndAsync();
            seen.Well();
            Assert.StartsWith($"{partial} is being written: this is what it holds so far", seen.Told, StringComparison.Ordinal);
            match.Signal(BridgeProcess.KillSignal);
            await match.EndAsync();

            using var inspect = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", partial]);
            var ended = await inspect.EndAsync();
            ended.Well();
            var (path, kept, lost) = Assert.Single(Repaired(ended.Told));
            IsWhole(path, kept);

            // The log may have fewer steps than the recording.
            Assert.Equal(Math.Max(kept, Folder.Steps().Rows.Count), kept + lost);
            Assert.Empty(Directory.GetFiles(Folder.Out, "*.partial"));
        }
    }

    [Fact]
    public async Task A_live_recording_is_left_alone_if_the_file_system_has_no_file_locks()
    {
        // .NET uses no file locks on NFS and SMB.
        (string, string)[] noLocks = [("DOTNET_SYSTEM_IO_DISABLEFILELOCKING", "1")];
        using var match = Folder.Match(["--rate", "100", "--steps", "10000"], noLocks);
        var partial = Path.Combine(Folder.Out, "match.mcap.partial");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 300);
        using (var inspect = BridgeProcess.Start((string[])[.. BridgeProcess.Program, "inspect", partial], noLocks))
        {
            var seen = await inspect.EndAsync();
            seen.Well();
            Assert.StartsWith($"{partial} is being written", seen.Told, StringComparison.Ordinal);
        }

        using (var next = Folder.Match(["--steps", "1", "--out", Path.Combine(Folder.Path, "next")], noLocks))
        {
            var ended = await next.EndAsync();
            ended.Well();
            Assert.Empty(Repaired(ended.Told));
        }

        Assert.True(File.Exists(partial));
        match.Signal(BridgeProcess.Interrupt, group: true);
        Assert.Equal(130, (await match.EndAsync()).ExitCode);
        IsWhole(Path.Combine(Folder.Out, "match.mcap"), Folder.Steps().Rows.Count);
    }

    [Fact]
    public async Task A_recording_that_another_machine_writes_is_left_alone()
    {
        var recording = Path.Combine(Folder.Path, "a.mcap");
        var whole = await File.ReadAllBytesAsync(
            Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap"), Ct);
        await File.WriteAllBytesAsync(recording + ".partial", whole[..^100], Ct);
        using (var held = LockFile.TryAcquire(LockFile.PathFor(recording))!)
        {
            held.KeepFile();
        }

        var text = await File.ReadAllTextAsync(recording + ".lock", Ct);
        await File.WriteAllTextAsync(
            recording + ".lock",
            text.Replace($"machine={Environment.MachineName}", "machine=elsewhere", StringComparison.Ordinal)
                .Replace($"process={Environment.ProcessId}", $"process={int.MaxValue}", StringComparison.Ordinal), Ct);
        var said = new List<string>();
        var cut = new Cli.OutputRepair(said.Add);
        cut.RepairIn(Folder.Path);
        var left = $"{recording}.partial is left as it is: process {int.MaxValue} on elsewhere holds {recording}.lock: "
            + "delete that file if the process has ended";
        Assert.Equal([left], said);
        Assert.Equal(recording + ".partial", cut.RepairNamed(recording + ".partial"));
        using var inspect = BridgeProcess.Start([.. BridgeProcess.Program, "inspect", recording]);
        var seen = await inspect.EndAsync();
        seen.Well();
        Assert.StartsWith($"{left}{Environment.NewLine}{recording}.partial is being written", seen.Told, StringComparison.Ordinal);
        Assert.Equal(whole.Length - 100, new FileInfo(recording + ".partial").Length);
    }

    [Fact]
    public async Task A_requested_summary_is_not_written_through_a_link()
    {
        var (victim, link) = (Path.Combine(Folder.Path, "victim"), Path.Combine(Folder.Path, "summary"));
        File.CreateSymbolicLink(link, victim);
        (await Folder.PlayAsync("--steps", "5", "--json", link)).Says(2, $"--json: {link} is a link");
        string[] words = [.. BridgeProcess.Program, "inspect", Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap")];
        using (var inspect = BridgeProcess.Start([.. words, "--json", link]))
        {
            (await inspect.EndAsync()).Says(2, $"{link} is a link");
        }

        Assert.False(File.Exists(victim));
        using var shown = BridgeProcess.Start([.. words, "--json", "/dev/stdout"]);
        var ended = await shown.EndAsync();
        ended.Well();
        Assert.Contains("\"match\": {", ended.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("inspect nothing.mcap 2>/dev/full", 2)]
    [InlineData("inspect nothing.mcap 2>&-", 2)]
    [InlineData("--version >/dev/full", 1, "standard output cannot be written: No space left on device")]
    [InlineData("match --help >/dev/full", 1, "standard output cannot be written: No space left on device")]
    [InlineData("match -q --no-agents --steps 5 --out out >/dev/full", 1, "standard output cannot be written: No space left on device")]
    [InlineData("match --no-agents --steps 5 --json .", 2, ". is a folder: name a file in it")]
    [InlineData("match --no-agents --steps 5 --json x/y", 2, "--json: x/y cannot be written")]
    [InlineData("match --no-agents --steps 5 --out out --json out", 2, "--json out: this is the output folder: name a file in it")]
    public async Task An_output_that_cannot_be_written_has_one_line_and_its_exit_code(string words, int exitCode, params string[] line)
    {
        using var program = BridgeProcess.Start(["sh", "-c", $"cd \"$0\" && \"$@\" {words}", Folder.Path, .. BridgeProcess.Program]);
        var ended = await program.EndAsync();
        Assert.Equal(exitCode, ended.ExitCode);
        Assert.Equal(line.Length, ended.Error.Count);
        Assert.All(line, part => Assert.Contains(part, ended.Told, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_pipe_gets_complete_results()
    {
        using var program = BridgeProcess.Start(
            ["sh", "-c", "cd \"$0\" && mkfifo pipe && { cat pipe > whole & } && exec \"$@\" --json pipe", Folder.Path, .. BridgeProcess.Program, "inspect",
                Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap")]);
        (await program.EndAsync()).Well();
        using var report = System.Text.Json.JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(Folder.Path, "whole"), Ct));
        Assert.True(report.RootElement.TryGetProperty("match", out _));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100, Traits = ["Suite", "Long"])]
    public Task After_a_kill_at_any_moment_all_but_one_chunk_is_repaired(int times) => KillAsync(times);

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_match_starts_fast_in_a_folder_with_thousands_of_matches()
    {
        for (var number = 0; number < 5000; number++)
        {
            var folder = Directory.CreateDirectory(Path.Combine(Folder.Path, "many", $"match-{number}")).FullName;
            await File.WriteAllTextAsync(Path.Combine(folder, "match.mcap"), "", Ct);
        }

        // Only lists files without reading them, so it is fast also with many folders.
        var began = System.Diagnostics.Stopwatch.GetTimestamp();
        new Cli.OutputRepair(Assert.Fail).RepairIn(Path.Combine(Folder.Path, "many"));
        Assert.InRange(System.Diagnostics.Stopwatch.GetElapsedTime(began).TotalSeconds, 0, 2);
    }

    [Fact]
    public async Task Partial_files_of_other_programs_are_not_changed()
    {
        var parent = Directory.CreateDirectory(Path.Combine(Folder.Path, "downloads")).FullName;
        string[] files = [Path.Combine(parent, "other.mcap.partial"), Path.Combine(parent, "film.iso.partial")];
        foreach (var file in files)
        {
            await File.WriteAllTextAsync(file, "half of it", Ct);
        }

        var cut = new Cli.OutputRepair(Assert.Fail);
        cut.RepairIn(parent);
        Assert.Equal(files[1], cut.RepairNamed(files[1]));
        Assert.All(files, file => Assert.True(File.Exists(file), file));
    }

    [Theory]
    [InlineData("")]
    [InlineData("junk\n")]
    [InlineData("/etc/other.mcap")]
    public async Task Another_programs_file_with_the_name_of_the_lock_is_not_changed(string text)
    {
        var folder = Directory.CreateDirectory(Path.Combine(Folder.Path, "parent", "others")).FullName;
        string[] files = [Path.Combine(folder, ".sc2bridge"), Path.Combine(folder, "notes.txt")];
        foreach (var file in files)
        {
            await File.WriteAllTextAsync(file, text, Ct);
        }

        new Cli.OutputRepair(Assert.Fail).RepairIn(Path.GetDirectoryName(folder)!);
        Assert.All(files, file => Assert.Equal(text, File.ReadAllText(file)));
    }

    [Fact]
    public async Task Processes_that_start_at_the_same_time_repair_a_recording_once()
    {
        var whole = await File.ReadAllBytesAsync(
            Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap"), Ct);
        for (var round = 0; round < 20; round++)
        {
            var parent = Directory.CreateDirectory(Path.Combine(Folder.Path, $"round-{round}")).FullName;
            var recording = Path.Combine(parent, "a.mcap");
            await File.WriteAllBytesAsync(recording + ".partial", whole[..^100], Ct);
            var said = new System.Collections.Concurrent.ConcurrentQueue<string>();
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Factory.StartNew(
                () => new Cli.OutputRepair(said.Enqueue).RepairIn(parent), Ct, TaskCreationOptions.LongRunning,
                TaskScheduler.Default)));
            Assert.Contains("is repaired", Assert.Single(said), StringComparison.Ordinal);
            Assert.Equal([recording], Directory.GetFiles(parent));
        }
    }

    [Theory]
    [InlineData("match.mcap")]
    [InlineData("match.mcap.partial")]
    [InlineData("steps.csv.partial")]
    [InlineData("agents.csv.partial")]
    [InlineData("summary.json")]
    [InlineData("summary.json.partial")]
    [InlineData("bridge.log")]
    [InlineData("bridge.pem")]
    [InlineData("game-002")]
    public void A_folder_with_a_link_in_a_files_place_is_refused(string name)
    {
        var victim = Path.Combine(Folder.Path, "victim");
        File.WriteAllText(victim, "mine");
        File.CreateSymbolicLink(Path.Combine(Directory.CreateDirectory(Folder.Out).FullName, name), victim);
        var refused = Assert.Throws<CommandException>(() => Cli.OutputFolder.Claim(Folder.Out, numbered: false));
        Assert.Contains($"{name} is a link", refused.Message, StringComparison.Ordinal);
        Assert.Equal([name], Directory.GetFileSystemEntries(Folder.Out).Select(Path.GetFileName));

        // A link that is created later is not followed either.
        var link = Path.Combine(Folder.Out, name);
        Assert.Contains(
            "is a link", Assert.Throws<IOException>(() => OutputPath.OpenReplacement(link)).Message, StringComparison.Ordinal);
        ResultFile.WriteAtomically(link, "ours");
        Assert.Equal(("ours", "mine"), (File.ReadAllText(link), File.ReadAllText(victim)));
    }

    [Fact]
    public async Task A_link_that_replaces_a_summary_during_the_match_is_not_followed()
    {
        var victim = Path.Combine(Folder.Path, "victim");
        await File.WriteAllTextAsync(victim, "mine", Ct);
        using var match = Folder.Match("--rate", "100", "--steps", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        File.CreateSymbolicLink(Path.Combine(Folder.Out, "summary.json.partial"), victim);
        (await match.EndAsync()).Says(1, "summary.json could not be written (", "summary.json.partial is a link, and nothing is written through links");
        Assert.Equal("mine", await File.ReadAllTextAsync(victim, Ct));
    }

    [Theory]
    [InlineData("--keep-games", "2", 2)]
    [InlineData("--config", "sc2bridge.toml", 1)]
    public async Task A_series_keeps_the_files_of_its_newest_games(string option, string value, int kept)
    {
        var strange = Path.Combine(Directory.CreateDirectory(Path.Combine(Folder.Out, "game-002")).FullName, "mine.txt");
        await File.WriteAllTextAsync(strange, "mine", Ct);
        await File.WriteAllTextAsync(Path.Combine(Folder.Path, "sc2bridge.toml"), "keep-bytes = \"1\"", Ct);
        var ended = await Folder.PlayAsync(
            "--games", "5", "--steps", "5", option, option == "--config" ? Path.Combine(Folder.Path, value) : value);
        ended.Well();
        Assert.Equal(
            Enumerable.Range(6 - kept, kept).Select(game => $"game-00{game}").Prepend("game-002"),
            Directory.GetDirectories(Folder.Out).Select(Path.GetFileName).Order());
        Assert.Equal(["mine.txt"], Directory.GetFiles(Path.Combine(Folder.Out, "game-002")).Select(Path.GetFileName));
        using var summary = System.Text.Json.JsonDocument.Parse(
            await File.ReadAllTextAsync(Path.Combine(Folder.Out, "summary.json"), Ct));
        Assert.Equal(
            Enumerable.Range(1, 5).Select(game => game <= 5 - kept),
            summary.RootElement.GetProperty("games").EnumerateArray().Select(game => game.GetProperty("deleted").GetBoolean()));
    }

    [Fact]
    public async Task The_files_of_a_failed_game_are_kept()
    {
        var ended = await Folder.PlayAsync(
            "--games", "5", "--steps", "5", "--keep-games", "1", "--map", "Cinder Fortress LE", "--map", "Nowhere LE");
        Assert.Equal(1, ended.ExitCode);
        Assert.Equal(
            ["game-002", "game-004", "game-005"], Directory.GetDirectories(Folder.Out).Select(Path.GetFileName).Order());
    }

    [GeneratedRegex(@"^(.*) was cut off, and is repaired: (\d+) steps kept, (\d+) lost$", RegexOptions.Multiline)]
    private static partial Regex RepairedLine();

    private static List<(string Path, int Kept, int Lost)> Repaired(string output) =>
    [
        .. RepairedLine().Matches(output).Select(line => (
            line.Groups[1].Value,
            int.Parse(line.Groups[2].Value, CultureInfo.InvariantCulture),
            int.Parse(line.Groups[3].Value, CultureInfo.InvariantCulture))),
    ];

    // Each process is killed after a different time, and the next one repairs its files.
    private async Task KillAsync(int times)
    {
        var random = new Random(17);
        var (repaired, none, allLost, mostLost, mostBytes) = (0, 0, 0, 0, 0L);
        for (var time = 0; time <= times; time++)
        {
            var rate = (time % 3) switch { 0 => "max", 1 => "100", _ => "22.4" };
            using var match = Folder.Match(
                ["--rate", rate, "--out", Path.Combine(Folder.Path, $"match-{time}"), "--steps", time == times ? "1" : "16000"]);
            if (time < times)
            {
                // Most are killed after the first step, some before it.
                await match.UntilAsync(() => time % 5 == 4
                    ? Directory.Exists(Path.Combine(Folder.Path, $"match-{time}"))
                    : Folder.StepsSoFar($"match-{time}") > 0);
                await Task.Delay(random.Next(5000), Ct);
                match.Signal(BridgeProcess.KillSignal);
            }

            var output = (await match.EndAsync()).Told;
            if (time == 0)
            {
                continue;
            }

            var folder = Path.Combine(Folder.Path, $"match-{time - 1}");
            Assert.Empty(Directory.GetFiles(folder, "*.partial"));
            Assert.Empty(Directory.GetFiles(folder, "*.lock"));
            Assert.False(File.Exists(Path.Combine(folder, ".sc2bridge")));
            var rows = File.Exists(Path.Combine(folder, "steps.csv")) ? LogTable.Read(Path.Combine(folder, "steps.csv")).Rows : [];
            if (Repaired(output) is not [var (path, kept, lost)])
            {
                // Before the first observation was made or written.
                none++;
                Assert.Empty(rows);
                continue;
            }

            repaired++;
            IsWhole(path, kept);
            Assert.Equal(Math.Max(0, rows.Count - kept), lost);
            var bytes = rows.Skip(kept).Sum(row => long.Parse(row["proto_bytes"], CultureInfo.InvariantCulture));
            Assert.InRange(bytes, 0, MostLost);
            (allLost, mostLost, mostBytes) = (allLost + lost, Math.Max(mostLost, lost), Math.Max(mostBytes, bytes));
        }

        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{repaired} repaired, {none} with nothing observed, {allLost} steps lost in all, {mostLost} at most of one, "
            + $"{mostBytes >> 10} KiB at most");
    }

    // Every step from the first on, none missing.
    private static void IsWhole(string path, int steps)
    {
        using var recording = RecordingReader.Open(path);
        Assert.Null(recording.Problem);
        using var reader = recording.Observations();
        for (var step = 0; step < steps; step++)
        {
            Assert.True(reader.Next(out var observation));
            Assert.Equal((ulong)step, observation.Step);
        }

        Assert.False(reader.Next(out _));
    }

    // Uses a folder of the test if the options name none.
    private BridgeProcess InFolder(params string[] more) => BridgeProcess.Start(
        [
            "sh", "-c", "cd \"$0\" && exec \"$@\"", Folder.Path, .. BridgeProcess.Program, "match", "--game", "simulated",
            "--no-agents", "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", .. more,
        ]);
}
