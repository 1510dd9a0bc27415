using System.Globalization;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Recordings that are crafted to use much memory, and the peak memory of each command.</summary>
[Trait("Suite", "Long")]
public sealed class HostileRecordingTests : MatchFolderTests
{
    private const long MostMemory = 256_000_000;

    private string Recording => Path.Combine(Folder.Path, "hostile.mcap");

    private string Target => Path.Combine(Folder.Path, "target");

    public static TheoryData<string> Names() => [.. HostileRecording.Names];

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Inspect_takes_at_most_256_MB(string name) => AreLines(await RunAsync(name, "inspect", Recording, "--fights"));

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_repair_takes_at_most_256_MB(string name) =>
        AreLines(await RunAsync(name, "inspect", Recording, "--repair", Target));

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Tables_take_at_most_256_MB(string name) =>
        AreLines(await RunAsync(name, "export", Recording, "--parquet", Target, "--arrow", Target + "-arrow"));

    [Theory]
    [MemberData(nameof(Names))]
    public async Task A_playback_takes_at_most_256_MB(string name) => AreLines(await RunAsync(
        name, "replay", Recording, "--rate", "max", "--to", "1000", "--no-agents", "--no-page", "--grpc", "127.0.0.1:0",
        "--web", "127.0.0.1:0", "--out", Target));

    // Success, or a failure. Each of its lines names the file's problem.
    private static void AreLines(Ended ended)
    {
        Assert.Equal(ended.Error.Count == 0 ? 0 : 1, ended.ExitCode);
        Assert.All(ended.Error, line => Assert.StartsWith("sc2bridge: ", line, StringComparison.Ordinal));
    }

    private async Task<Ended> RunAsync(string name, params string[] arguments)
    {
        HostileRecording.Write(name, Recording);
        var peak = Path.Combine(BridgeProcess.AgentFolder, "peak.py");
        using var measured = BridgeProcess.Start([MatchFolder.Python, peak, .. BridgeProcess.Program, .. arguments]);
        var ended = await measured.EndAsync();
        var kilobytes = long.Parse(ended.Output.Split('\n')[^1], CultureInfo.InvariantCulture);
        Assert.InRange(kilobytes * 1024, 1, MostMemory);
        return ended;
    }
}
