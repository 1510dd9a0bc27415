using System.Globalization;
using System.Text.RegularExpressions;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A match of 300 steps of one loop that was recorded, and nothing heard.</summary>
public sealed class RecordedMatch : IAsyncLifetime
{
    private readonly MatchFolder _folder = new();

    /// <summary>The folder with its files.</summary>
    public string Folder => _folder.Out;

    /// <summary>The recording.</summary>
    public string File => Path.Combine(Folder, "match.mcap");

    public async ValueTask InitializeAsync() => (await _folder.PlayAsync("--steps", "300")).Well();

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }
}

/// <summary>Recordings that are played as their matches were.</summary>
public sealed partial class ReplayTests(RecordedMatch recorded) : IClassFixture<RecordedMatch>, IDisposable
{
    private readonly MatchFolder _folder = new();

    private string Recording => Path.Combine(_folder.Out, "match.mcap");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("every", "grpc", "json+columns", "shm", Traits = ["Suite", "Long"])]
    [InlineData("every", "proto", "json", "grpc+columns", "proto+columns", "shm+columns", Traits = ["Suite", "Long"])]
    [InlineData("every", "grpc+zstd", "proto+zstd", "json+zstd", "grpc+columns+zstd", "json+columns+zstd", Traits = ["Suite", "Long"])]
    [InlineData("every", "grpc+group-zstd", "proto+group-zstd", "json+group-zstd", "grpc+columns+group-zstd",
        "json+columns+group-zstd", "proto+columns+group-zstd", Traits = ["Suite", "Long"])]
    [InlineData("lockstep", "grpc", "json", "shm", "proto+columns+group-zstd")]
    public async Task Agents_receive_what_they_received_of_the_match(string policy, params string[] ways)
    {
        string[] agents =
        [
            "--codec-log", "full", "--policy", policy, .. ways.SelectMany(way => (string[])["--agent", $"witness:Witness@{way}"]),
        ];
        var match = Directory.CreateDirectory(Path.Combine(_folder.Path, "match")).FullName;
        using (var played = _folder.Match(["--steps", "60", "--step-size", "40", .. agents], [("COLLECT", match)]))
        {
            (await played.EndAsync()).Well();
        }

        var replay = Directory.CreateDirectory(Path.Combine(_folder.Path, "replay")).FullName;
        using (var replayed = _folder.Replay(Recording, agents, [("COLLECT", replay)]))
        {
            (await replayed.EndAsync()).Well();
        }

        foreach (var (number, way) in ways.Index())
        {
            var name = $"witness-{number + 1}-{way}";
            var live = await File.ReadAllLinesAsync(Path.Combine(match, name), Ct);
            var again = await File.ReadAllLinesAsync(Path.Combine(replay, name), Ct);
            Assert.Equal(policy == "lockstep" ? 76 : 64, live.Length);
            Assert.Equal(live, again);
            Assert.Equal(
                policy == "lockstep" ? 12 : 0,
                live.Count(line => line.StartsWith("answer", StringComparison.Ordinal)));
        }

        var (steps, replayedSteps) = (_folder.Steps(), _folder.Steps("replay"));
        replayedSteps.Complete(60);
        foreach (var column in new[] { "step", "game_loop", "proto_bytes", "json_bytes", "columns_bytes" })
        {
            Assert.Equal(steps.Rows.Select(row => row[column]), replayedSteps.Rows.Select(row => row[column]));
        }
    }

    [Theory]
    [InlineData("grpc", "lockstep")]
    [InlineData("grpc", "every", Traits = ["Suite", "Long"])]
    [InlineData("json", "lockstep", Traits = ["Suite", "Long"])]
    [InlineData("json", "every")]
    [InlineData("proto+group-zstd", "every")]
    public async Task An_agent_controls_the_playback_that_it_receives(string way, string policy)
    {
        using var replay = _folder.Replay(
            recorded.File, ["--paused", "--policy", policy, "--agent", $"controller:Controller@{way}"]);
        var ended = await replay.EndAsync();
        ended.Well();
        Assert.Contains("controlled to the end", ended.Told, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("every", 0, Traits = ["Suite", "Long"])]
    [InlineData("lockstep", 60)]
    public async Task Many_agents_jump_in_it_and_each_receives_all_frames_in_order(string policy, int jumps)
    {
        string[] ways =
            ["grpc", "json", "proto+group-zstd", "json+group-zstd", "grpc+columns+group-zstd", "json+columns+zstd"];
        using var replay = _folder.Replay(
            recorded.File,
            [
                "--policy", policy, "--rate", "200",
                .. ways.SelectMany(way => (string[])["--agent", $"jumper:Jumper@{way}"]),
            ]);
        var ended = await replay.EndAsync();
        ended.Well();
        var told = JumperLine().Matches(ended.Told);
        Assert.Equal(ways.Length, told.Count);

        // The awaited agents send a request at the same step. The last request applies, and all get the result.
        Assert.All(told, line => Assert.True(
            int.Parse(line.Groups[1].Value, CultureInfo.InvariantCulture) >= jumps, line.Value));
    }

    [Fact]
    public async Task A_live_match_refuses_to_be_controlled()
    {
        var ended = await _folder.PlayAsync(
            "--steps", "30", "--policy", "lockstep",
            "--agent", "controller:Controller@grpc", "--agent", "controller:Controller@json");
        ended.Well();
        Assert.Contains("[controller-1-grpc] refused", ended.Told, StringComparison.Ordinal);
        Assert.Contains("[controller-2-json] refused", ended.Told, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Keys_of_a_terminal_control_it()
    {
        using var replay = BridgeProcess.Start(
            [
                .. BridgeProcess.Terminal(), .. BridgeProcess.Program, "replay", recorded.File, "--paused", "--no-agents",
                "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--out", Path.Combine(_folder.Path, "replay"),
            ],
            ("TERM", "xterm"));
        await replay.LineAsync("Keys: space pauses and resumes");
        await replay.LineAsync("held at game loop 0 of 0-299, max");
        replay.Type("\e[C\e[C\e[C");
        await replay.LineAsync("held at game loop 3 of 0-299, max");
        replay.Type("g250\r");
        await replay.LineAsync("held at game loop 250 of 0-299, max");
        replay.Type("\e[D");
        await replay.LineAsync("held at game loop 249 of 0-299, max");
        replay.Type("g777\r");
        await replay.LineAsync("choose from 0 to 299");
        replay.Type("\e[B");
        await replay.LineAsync("held at game loop 249 of 0-299, 179.2 steps/s");
        replay.Type(" ");
        var ended = await replay.EndAsync();
        Assert.Equal(0, ended.ExitCode);
        Assert.Contains("at game loop 299 after 56 observations", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_part_at_a_rate()
    {
        using var replay = _folder.Replay(
            recorded.File,
            ["--from", "20", "--to", "30", "--rate", "100", "--agent", "sc2bridge.agents:Watcher@grpc+group-zstd"]);
        var ended = await replay.EndAsync();
        ended.Well();
        Assert.Contains("11 frames, loops 20-30", ended.Told, StringComparison.Ordinal);
        Assert.Contains("ended (range end) at game loop 30", ended.Output, StringComparison.Ordinal);
        Assert.Equal(
            Enumerable.Range(20, 11).Select(step => $"{step}"),
            _folder.Steps("replay").Rows.Select(row => row["step"]));
        Assert.Contains(
            "\"replayed\": \"match.mcap\"",
            await File.ReadAllTextAsync(Path.Combine(_folder.Path, "replay", "summary.json"), Ct),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task In_a_loop_it_starts_over_until_it_is_stopped()
    {
        using var replay = _folder.Replay(recorded.File, ["--loop", "--from", "5", "--to", "19", "--no-agents"]);
        await replay.UntilAsync(() => _folder.StepsSoFar("replay") > 100);
        replay.Signal(BridgeProcess.Interrupt);
        var ended = await replay.EndAsync();
        Assert.Equal(130, ended.ExitCode);
        var rows = _folder.Steps("replay").Rows;
        Assert.All(rows.Index(), row => Assert.Equal($"{5 + (row.Index % 15)}", row.Item["step"]));
    }

    [Fact]
    public async Task A_cut_recording_is_played_up_to_its_end_and_reported()
    {
        (await _folder.PlayAsync("--steps", "200", "--rate", "50")).Well();
        var whole = await File.ReadAllBytesAsync(Recording, Ct);
        var cut = Path.Combine(_folder.Path, "cut.mcap");
        await File.WriteAllBytesAsync(cut, whole[..(Chunks(whole)[2] + 50)], Ct);
        using var replay = _folder.Replay(cut, ["--agent", "sc2bridge.agents:Watcher@json"]);
        var ended = await replay.EndAsync();
        ended.Says(1, "The recording ends before its match does", "cut.mcap", "--repair", "The logs up to that point");
        Assert.Contains("; it ends before its match does", ended.Told, StringComparison.Ordinal);
        Assert.Matches(@"\d+ frames, loops 0-\d+", ended.Told);
        Assert.InRange(_folder.Steps("replay").Rows.Count, 10, 199);
    }

    [Theory]
    [InlineData("not an MCAP file", "steps.csv")]
    [InlineData("nothing.mcap cannot be opened: there is no such file; give the path of a recording", "nothing.mcap")]
    [InlineData("from game loop 300 on: choose from 0 to 299", "match.mcap", "--from", "300")]
    [InlineData("of the game loops 6 to 5: choose from 0 to 299", "match.mcap", "--from", "6", "--to", "5")]
    [InlineData("--to -1: write a game loop", "match.mcap", "--to", "-1")]
    [InlineData("no clock of its own", "match.mcap", "--rate", "realtime")]
    [InlineData("from 0.001 to 10000", "match.mcap", "--rate", "0")]
    public async Task A_recording_that_cannot_be_played_is_one_line_and_leaves_no_files(
        string why, string file, params string[] more)
    {
        using var replay = _folder.Replay(Path.Combine(recorded.Folder, file), more);
        (await replay.EndAsync()).Says(2, why);
        Assert.False(Directory.Exists(Path.Combine(_folder.Path, "replay")));
    }

    [GeneratedRegex(@"\d+ heard, (\d+) jumps, \d+ again")]
    private static partial Regex JumperLine();

    // https://mcap.dev/spec: eight bytes of magic; then records, each an opcode, eight bytes of length, and so many.
    private static List<int> Chunks(byte[] file)
    {
        const byte Chunk = 6;
        var chunks = new List<int>();
        for (var at = 8; at < file.Length - 8; at += 9 + (int)BitConverter.ToInt64(file, at + 1))
        {
            if (file[at] == Chunk)
            {
                chunks.Add(at);
            }
        }

        return chunks;
    }
}
