using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Functional.Tests;

/// <summary><c>sc2bridge compare</c> from its options to its results: a bridge, agents, short cells.</summary>
public sealed class CompareTests
{
    internal static readonly string[] Tiny = ["--quick", "--rounds", "1", "--seconds", "0.3"];

    internal static readonly string Sample =
        Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");

    [Fact]
    public async Task Two_cells_and_their_yardsticks_are_measured_and_a_stopped_run_is_gone_on_with()
    {
        using var folder = new MatchFolder();
        var (file, table, page, kept) = (In("a.json"), In("a.csv"), In("a.html"), In("kept"));
        string[] words =
        [
            "--quick", "--rounds", "1", "--seconds", "2", "--only", "json/none/observation/22.4", "--only", "bridge/grpc/none/observation/22.4",
            "--only", "raw TCP", "--json", file, "--csv", table, "--html", page, "--out", kept,
        ];
        var first = await CompareAsync(words);
        Assert.True(first.ExitCode == 0, string.Join('\n', first.Error));
        Assert.All(
            (string[])["machine  ", "agent  ", "transports", "yardsticks", "in times raw", "At 22.4 steps a second",
                "the codec takes", "with Google.Protobuf's JsonFormatter"],
            heard => Assert.Contains(heard, first.Output, StringComparison.Ordinal));

        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        var runs = result.RootElement.GetProperty("runs").EnumerateArray().ToList();
        Assert.Equal(4, runs.Count);
        Assert.All(runs, run =>
        {
            Assert.True(run.GetProperty("frames").GetInt64() > 0, run.ToString());
            Assert.Equal(0, run.GetProperty("lost").GetInt64());
            Assert.InRange(run.GetProperty("held").GetProperty("p50").GetDouble(), 1, 60e6);
            Assert.True(run.GetProperty("parsed").GetProperty("p50").GetDouble()
                > run.GetProperty("held").GetProperty("p50").GetDouble());
            Assert.InRange(run.GetProperty("message_bytes").GetDouble(), 100_000, 900_000);
            Assert.True(run.GetProperty("sender_cpu").GetDouble() > 0);
            Assert.Equal(
                run.GetProperty("measurement").GetString()!.Contains("/json/", StringComparison.Ordinal),
                run.GetProperty("encode_us").GetDouble() > 0);
            Assert.InRange(run.GetProperty("decode_share").GetDouble(), 0.001, 1);
        });
        Assert.Equal(7, (await File.ReadAllLinesAsync(table, TestContext.Current.CancellationToken)).Length - 1);

        Assert.Contains(
            "Yardsticks, at 22.4 a second",
            await File.ReadAllTextAsync(page, TestContext.Current.CancellationToken),
            StringComparison.Ordinal);

        // Nothing is left to do: it is only shown again.
        var again = await CompareAsync(words);
        Assert.Contains(again.Error, line => line.Contains("4 measurements were made before", StringComparison.Ordinal));
        var other = await CompareAsync([.. words.Select(word => word == "2" ? "1.9" : word)]);
        Assert.Equal(1, other.ExitCode);
        Assert.Contains(other.Error, line => line.Contains("name another folder with --out", StringComparison.Ordinal));

        string In(string name) => Path.Combine(folder.Path, name);
    }

    [Fact]
    public async Task Light_readers_receive_beside_the_agent_also_of_a_recording()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--from", "200", "--only", "binary/none/observation/22.4/x8",
            "--only", "raw TCP, 8 subscribers", "--rounds", "1", "--seconds", "0.3", "--json", file);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        var runs = result.RootElement.GetProperty("runs").EnumerateArray().ToList();
        Assert.Equal(2, runs.Count);
        Assert.All(runs, run =>
        {
            Assert.Equal(7, run.GetProperty("readers").GetProperty("count").GetInt32());
            Assert.True(run.GetProperty("readers").GetProperty("held").GetProperty("count").GetInt32() >= 7);
        });
        Assert.All(
            (string[])["readers p99 ms", "× raw", "WebSocket, 8 subscribers of "],
            heard => Assert.Contains(heard, ended.Output, StringComparison.Ordinal));
        Assert.Contains("sample.mcap", result.RootElement.GetProperty("match").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_match_of_a_running_game_is_followed_once_and_received_by_every_measurement()
    {
        var ct = TestContext.Current.CancellationToken;
        using var folder = new MatchFolder();
        var (file, kept) = (Path.Combine(folder.Path, "a.json"), Path.Combine(folder.Path, "kept"));
        await using var game = await MatchUnderWay.StartAsync(
            new SimulatorOptions { LongestMatch = 400 }, realtime: false, 50, ct);
        var address = FormattableString.Invariant($"127.0.0.1:{game.Port}");
        string[] words =
            [.. Tiny, "--only", "bridge/grpc/none/observation/22.4", "--attach", address, "--out", kept, "--json", file];
        var ended = await CompareAsync(words);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, ct));
        Assert.Equal(
            $"the game at {address} (simulated), Cinder Fortress LE: 256 steps from game loop 51 on",
            result.RootElement.GetProperty("match").GetString());
        var took = result.RootElement.GetProperty("game");
        Assert.Equal(256, took.GetProperty("count").GetInt32());
        Assert.Contains("game      a step and its observation took ", ended.Output, StringComparison.Ordinal);

        // What was heard is kept; the match has not that many steps left for another one.
        Assert.Equal(0, (await CompareAsync(words)).ExitCode);
        var again = await CompareAsync([.. words.Where(word => word != "--out" && word != kept)]);
        Assert.Equal(1, again.ExitCode);
        Assert.Matches("was over after [0-9]+ steps, .* attach to one that goes on for longer", again.Error[^1]);
    }

    [Fact]
    public async Task A_replay_that_a_running_game_shows_is_followed_too()
    {
        var ct = TestContext.Current.CancellationToken;
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        await using var game = await MatchUnderWay.StartReplayAsync(SimulatedReplay.Make(400), 50, ct);
        var address = FormattableString.Invariant($"127.0.0.1:{game.Port}");
        string[] words = [.. Tiny, "--only", "bridge/grpc/none/observation/22.4", "--attach", address, "--json", file];
        var ended = await CompareAsync(words);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, ct));
        Assert.Equal(
            $"the game at {address} (simulated), Cinder Fortress LE: 256 steps from game loop 51 on",
            result.RootElement.GetProperty("match").GetString());

        // It is left where it is: too little of it is ahead for another one.
        var again = await CompareAsync(words);
        Assert.Equal(1, again.ExitCode);
        Assert.Matches("was over after [0-9]+ steps, .* attach to one that goes on for longer", again.Error[^1]);
    }

    [Fact]
    public async Task Over_a_slow_link_what_fits_is_received_and_nothing_of_it_is_left()
    {
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "needs root: network namespaces");
        Assert.SkipUnless(File.Exists("/usr/sbin/ip") || File.Exists("/sbin/ip"), "needs iproute2");
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--from", "200",
            "--only", "grpc/group-zstd/observation/22.4/x1/tcp/python0/every/10Mbit",
            "--rounds", "1", "--seconds", "0.3", "--json", file);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        Assert.SkipUnless(result.RootElement.GetProperty("left").GetArrayLength() == 0, "no links can be made here");
        var run = Assert.Single(result.RootElement.GetProperty("runs").EnumerateArray());
        Assert.True(run.GetProperty("frames").GetInt64() > 0, run.ToString());
        Assert.DoesNotContain(
            Directory.GetDirectories("/sys/class/net"), name => name.Contains("sc2b", StringComparison.Ordinal));
    }

    [Fact]
    public async Task In_the_background_it_is_watched_and_killed_and_the_same_command_goes_on_with_it()
    {
        using var folder = new MatchFolder();
        var kept = Path.Combine(folder.Path, "kept");
        string[] words =
        [
            "--recording", Sample, "--only", "scale: size", "--rounds", "1", "--seconds", "0.2", "--out", kept,
            "--background",
        ];
        var begun = await CompareAsync(words);
        Assert.True(begun.ExitCode == 0, string.Join('\n', begun.Error));
        Assert.Contains("scale, 1 rounds of 0.2 s", string.Join('\n', begun.Error), StringComparison.Ordinal);
        var named = Regex.Match(begun.Output, "process ([0-9]+)").Groups[1].Value;
        var process = int.Parse(named, CultureInfo.InvariantCulture);
        (await CompareAsync(words)).Says(1, "sc2bridge: ", $"a comparison runs in {kept} (process {process})");

        var runs = Path.Combine(kept, "scale.jsonl");
        await StatusAsync(kept, status => status.StartsWith('[') && File.ReadLines(runs).Skip(1).Any());
        using (var running = Process.GetProcessById(process))
        {
            running.Kill();
        }

        var killed = await StatusAsync(kept, status => !status.Contains("running", StringComparison.Ordinal));
        Assert.Contains("it was killed; the command that started it goes on with it", killed, StringComparison.Ordinal);

        var again = await CompareAsync(words);
        Assert.Contains("were made before", string.Join('\n', again.Error), StringComparison.Ordinal);
        var ended = await StatusAsync(kept, status => !status.Contains("running", StringComparison.Ordinal));
        Assert.Contains("100 %", ended, StringComparison.Ordinal);
        Assert.Contains("done: ", ended, StringComparison.Ordinal);
        var page = await File.ReadAllTextAsync(
            Path.Combine(kept, "report.html"), TestContext.Current.CancellationToken);
        Assert.Contains("By KiB an observation", page, StringComparison.Ordinal);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(
            Path.Combine(kept, "report.json"), TestContext.Current.CancellationToken));
        var points = result.RootElement.GetProperty("scale").GetProperty("series")[0].GetProperty("points");
        Assert.Equal(3 * 6, points.GetArrayLength());
        var sizes = points.EnumerateArray().Take(6).Select(point => point.GetProperty("x").GetDouble()).ToList();
        Assert.True(sizes[^1] > 1.5 * sizes[0], string.Join(' ', sizes));
    }

    [Fact]
    public async Task A_breaking_point_is_searched_for()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--only", "breaking point, rate over gRPC", "--seconds", "0.2", "--json", file);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        Assert.Contains("One bridge on this machine keeps up with", ended.Output, StringComparison.Ordinal);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, TestContext.Current.CancellationToken));
        var scale = result.RootElement.GetProperty("scale");
        var found = Assert.Single(scale.GetProperty("breaking").EnumerateArray());
        Assert.Equal("rate", found.GetProperty("plan").GetProperty("load").GetString());
        Assert.True(scale.GetProperty("runs").GetArrayLength() > 1);
    }

    // As a person would: asks until it says so.
    internal static async Task<string> StatusAsync(string folder, Func<string, bool> isSo)
    {
        while (true)
        {
            var ended = await CompareAsync("--out", folder, "--status");
            Assert.Equal(0, ended.ExitCode);
            if (isSo(ended.Output))
            {
                return ended.Output;
            }
        }
    }

    internal static async Task<Ended> CompareAsync(params string[] options)
    {
        string[] python = options.Contains("--python") ? [] : ["--python", MatchFolder.Python];
        using var compare = BridgeProcess.Start(options.Concat(python).Prepend("compare"));
        return await compare.EndAsync();
    }
}
