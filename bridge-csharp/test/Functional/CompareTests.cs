using System.Net.NetworkInformation;
using System.Text.Json;

namespace Sc2Bridge.Functional.Tests;

/// <summary><c>sc2bridge compare</c> from its options to its results: a bridge, agents, short cells.</summary>
[Trait("Suite", "Long")]
public sealed class CompareTests
{
    internal static readonly string[] Tiny = ["--quick", "--rounds", "1", "--seconds", "0.3"];

    internal static readonly string Sample = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");

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
            (string[])["On this machine", "machine  ", "agent  ", "transports", "yardsticks",
                "in times bare and raw", "the codec takes"],
            heard => Assert.Contains(heard, first.Output, StringComparison.Ordinal));

        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
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
        Assert.Equal(7, (await File.ReadAllLinesAsync(table, Ct)).Length - 1);

        Assert.Contains(
            "Yardsticks, at 22.4 a second",
            await File.ReadAllTextAsync(page, Ct),
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
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        var runs = result.RootElement.GetProperty("runs").EnumerateArray().ToList();
        Assert.Equal(2, runs.Count);
        Assert.All(runs, run =>
        {
            Assert.Equal(7, run.GetProperty("readers").GetProperty("count").GetInt32());
            Assert.True(run.GetProperty("readers").GetProperty("held").GetProperty("count").GetInt32() >= 7);
        });
        Assert.All(
            (string[])["readers p99 ms", "× raw", "WebSocket, 8 subscribers"],
            heard => Assert.Contains(heard, ended.Output, StringComparison.Ordinal));
        Assert.Contains("sample.mcap", result.RootElement.GetProperty("match").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Over_a_slow_link_what_fits_is_received_and_nothing_of_it_is_left()
    {
        await using var link = await FarMachine.MakeAsync(); // Skips the test if no link can be made here.
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--from", "200",
            "--only", "grpc/group-zstd/observation/22.4/x1/tcp/python0/every/10Mbit",
            "--rounds", "1", "--seconds", "0.3", "--json", file);
        Assert.True(ended.ExitCode == 0, string.Join('\n', ended.Error));
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        Assert.Equal(0, result.RootElement.GetProperty("left").GetArrayLength());
        var run = Assert.Single(result.RootElement.GetProperty("runs").EnumerateArray());
        Assert.True(run.GetProperty("frames").GetInt64() > 0, run.ToString());
        Assert.DoesNotContain(
            NetworkInterface.GetAllNetworkInterfaces(), left => left.Name.Contains("sc2b", StringComparison.Ordinal));
    }

    [Fact]
    public async Task One_that_was_killed_is_gone_on_with_by_the_same_command()
    {
        using var folder = new MatchFolder();
        var kept = Path.Combine(folder.Path, "kept");
        string[] words =
        [
            "--recording", Sample, "--only", "content", "--rounds", "1", "--seconds", "0.5", "--out", kept, "--python",
            MatchFolder.Python,
        ];
        var runs = Path.Combine(kept, "runs.jsonl");
        using (var compare = BridgeProcess.Start(words.Prepend("compare")))
        {
            await compare.UntilAsync(() => File.Exists(Path.Combine(kept, "taken")));
            (await CompareAsync(words)).Says(1, "sc2bridge: ", $"a comparison runs in {kept}");
            await compare.UntilAsync(() => File.Exists(runs) && Lines() > 2);
            compare.Signal(BridgeProcess.KillSignal);
            Assert.Equal(137, (await compare.EndAsync()).ExitCode);
        }

        var again = await CompareAsync(words);
        Assert.True(again.ExitCode == 0, string.Join('\n', again.Error));
        Assert.Contains("were made before", string.Join('\n', again.Error), StringComparison.Ordinal);
        Assert.Equal(1 + 8, Lines());
        var page = await File.ReadAllTextAsync(Path.Combine(kept, "report.html"), Ct);
        Assert.Contains("Content, at 22.4 a second", page, StringComparison.Ordinal);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(Path.Combine(kept, "report.json"), Ct));
        Assert.Equal(8, result.RootElement.GetProperty("runs").GetArrayLength());

        int Lines()
        {
            using var file = new StreamReader(new FileStream(runs, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
            return file.ReadToEnd().Count(letter => letter == '\n');
        }
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
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        var found = Assert.Single(result.RootElement.GetProperty("breaking").EnumerateArray());
        Assert.Equal("rate", found.GetProperty("plan").GetProperty("load").GetString());
        Assert.True(result.RootElement.GetProperty("runs").GetArrayLength() > 1);
    }

    internal static async Task<Ended> CompareAsync(params string[] options)
    {
        string[] python = options.Contains("--python") ? [] : ["--python", MatchFolder.Python];
        using var compare = BridgeProcess.Start(options.Concat(python).Prepend("compare"));
        return await compare.EndAsync();
    }
}
