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
    public async Task Two_cells_and_their_yardsticks_are_measured()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var first = await CompareAsync(
            "--quick", "--rounds", "1", "--seconds", "2", "--only", "json/none/observation/22.4", "--only",
            "bridge/grpc/none/observation/22.4", "--only", "plain TCP", "--json", file);
        Assert.True(first.ExitCode == 0, first.Told);
        Assert.All(
            (string[])["On this machine", "machine  ", "agent  ", "transports", "overhead",
                "× server alone", "× plain socket", "the codec takes"],
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
        Assert.Equal(7, result.RootElement.GetProperty("tables").EnumerateArray().Sum(table => table.GetProperty("rows").GetArrayLength()));
    }

    [Fact]
    public async Task Light_subscribers_and_the_agent_receive_a_match_and_a_recording()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--from", "200", "--only", "binary/none/observation/22.4/x8",
            "--only", "plain TCP, 8 subscribers", "--rounds", "1", "--seconds", "0.3", "--json", file);
        Assert.True(ended.ExitCode == 0, ended.Told);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        var runs = result.RootElement.GetProperty("runs").EnumerateArray().ToList();
        Assert.Equal(2, runs.Count);
        Assert.All(runs, run =>
        {
            Assert.Equal(7, run.GetProperty("light_subscribers").GetProperty("count").GetInt32());
            Assert.True(run.GetProperty("light_subscribers").GetProperty("held").GetProperty("count").GetInt32() >= 7);
        });
        Assert.All(
            (string[])["subscribers p99 ms", "CPU × plain socket", "WebSocket, 8 subscribers"],
            heard => Assert.Contains(heard, ended.Output, StringComparison.Ordinal));
        Assert.Contains("sample.mcap", result.RootElement.GetProperty("match").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_slow_link_limits_the_frames_received_and_is_removed_at_the_end()
    {
        await using var link = await FarMachine.MakeAsync(); // Skips the test if no link can be made here.
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--from", "200",
            "--only", "grpc/group-zstd/observation/22.4/x1/tcp/python0/every/10Mbit",
            "--rounds", "1", "--seconds", "0.3", "--json", file);
        Assert.True(ended.ExitCode == 0, ended.Told);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        Assert.Equal(0, result.RootElement.GetProperty("left").GetArrayLength());
        var run = Assert.Single(result.RootElement.GetProperty("runs").EnumerateArray());
        Assert.True(run.GetProperty("frames").GetInt64() > 0, run.ToString());
        Assert.DoesNotContain(
            NetworkInterface.GetAllNetworkInterfaces(), left => left.Name.Contains("sc2b", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Several_agents_receive_equally_compressed_frames_and_there_is_advice_for_each_number()
    {
        using var folder = new MatchFolder();
        var file = Path.Combine(folder.Path, "a.json");
        var ended = await CompareAsync(
            "--recording", Sample, "--agents", "3", "--only", "binary/none/observation/22.4", "--only",
            "binary/group-zstd/observation/22.4", "--rounds", "1", "--seconds", "0.5", "--json", file);
        Assert.True(ended.ExitCode == 0, ended.Told);
        Assert.Contains(
            "For 3 agents on this machine at 22.4 a second: use the default, WebSocket",
            ended.Output, StringComparison.Ordinal);
        using var result = JsonDocument.Parse(await File.ReadAllTextAsync(file, Ct));
        var runs = result.RootElement.GetProperty("runs").EnumerateArray().ToDictionary(
            run => run.GetProperty("measurement").GetString()!, run => run.GetProperty("wire_bytes").GetDouble());
        Assert.Equal(4, runs.Count);
        var (one, three) = (Wire("x1"), Wire("x3"));
        Assert.True(one * 5 < Wire("x3", "none") && three < 2 * one, string.Join('\n', runs));

        double Wire(string count, string packing = "group-zstd") =>
            runs.Single(run => run.Key.Split('/') is var words && words.Contains(packing) && words.Contains(count)).Value;
    }

    internal static async Task<Ended> CompareAsync(params string[] options)
    {
        string[] python = options.Contains("--python") ? [] : ["--python", MatchFolder.Python];
        using var compare = BridgeProcess.Start(options.Concat(python).Prepend("compare"));
        return await compare.EndAsync();
    }
}
