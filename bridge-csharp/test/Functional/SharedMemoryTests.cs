using System.Text.RegularExpressions;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Readers of shared memory that are killed, stopped or release nothing, together with normal agents.</summary>
public sealed partial class SharedMemoryTests(ITestOutputHelper output)
{
    private const int Killed = 200;
    private const int Stopped = 50;
    private const int Keeping = 20;

    [Fact]
    [Trait("Suite", "Long")]
    public async Task Readers_that_are_killed_hang_or_release_nothing_cost_no_other_reader_a_frame()
    {
        using var folder = new MatchFolder();
        using var match = folder.Match(
            "--rate", "50", "--steps", "1000000", "--max-subscriptions", $"{Stopped + Keeping + 20}",
            "--agent", "sc2bridge.agents:Watcher", "--agent", "sc2bridge.agents:Watcher@json");
        var address = Address().Match(await match.LineAsync("shm:")).Value;
        await match.UntilAsync(() => folder.StepsSoFar() > 50);
        var before = Descriptors(match.Id);
        using (var readers = BridgeProcess.Start(
            [MatchFolder.Python, Path.Combine(BridgeProcess.AgentFolder, "sharers.py"), address, $"{Killed}", $"{Stopped}", $"{Keeping}"]))
        {
            await readers.LineAsync("there");
            var beside = Descriptors(match.Id);
            output.WriteLine($"descriptors {before.All}, then {beside.All}; resident {ProcessFacts.Resident(match.Id) >> 20} MiB");
            Assert.Equal(before.Memory, beside.Memory);
            readers.EndInput();
            Assert.Equal(0, (await readers.EndAsync()).ExitCode);
        }

        await match.UntilAsync(() => Descriptors(match.Id) == before);
        match.Signal(BridgeProcess.Interrupt);
        await match.EndAsync();
        folder.AgentsHeard("watcher-1-shm", "watcher-2-json");
    }

    // The number of all descriptors, and of descriptors of shared memory.
    private static (int All, int Memory) Descriptors(int process)
    {
        var links = Directory.GetFiles($"/proc/{process}/fd").Select(file => new FileInfo(file).LinkTarget).ToList();
        return (links.Count, links.Count(link => link?.Contains("memfd:sc2bridge", StringComparison.Ordinal) == true));
    }

    [GeneratedRegex("shm:[^ ,]+")]
    private static partial Regex Address();
}
