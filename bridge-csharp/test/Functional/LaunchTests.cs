namespace Sc2Bridge.Functional.Tests;

/// <summary>Matches that Python starts: the package finds the program, reads its output and ends it.</summary>
public sealed class LaunchTests
{
    private static readonly string _examples = Path.Combine(PeerEnvironment.RepositoryRoot, "agent-python", "examples");

    [Fact]
    public async Task The_example_plays_a_match_and_leaves_no_process()
    {
        var ended = await RunAsync("import launched; launched.main(200)");
        ended.Well();
        Assert.Matches("^1[0-9] workers at loop 199: step limit$", ended.Output.Trim());
    }

    [Theory]
    [InlineData("break", 0, "")]
    [InlineData("raise RuntimeError('the script failed')", 1, "the script failed")]
    [InlineData("signal.raise_signal(signal.SIGINT)", 130, "KeyboardInterrupt")]
    [InlineData("os.kill(os.getpid(), signal.SIGKILL)", 137, "")]
    public async Task No_process_of_the_match_outlives_its_script(string leaves, int exitCode, string says)
    {
        // The bridge has its own session. The test detects its end by summary.json, which the bridge writes last.
        using var folder = new MatchFolder();
        var ended = await RunAsync(
            $"""
            import os, signal, sc2bridge
            with sc2bridge.launch(game="simulated", out="{folder.Out}") as match:
                for frame in match.subscribe("lockstep"):
                    if frame.step == 20:
                        {leaves}
            """);
        Assert.Equal(exitCode, ended.ExitCode);
        Assert.True(ended.Told.Contains(says, StringComparison.Ordinal), ended.Told);

        // If Python is killed, the bridge stops a moment later, at the end of its input.
        var summary = Path.Combine(folder.Out, "summary.json");
        await HoldsAsync(() => File.Exists(summary));

        Assert.Contains("\"stopped\"", await File.ReadAllTextAsync(summary, Ct), StringComparison.Ordinal);
        folder.Steps().Complete(20);
    }

    [Fact]
    public async Task A_match_that_cannot_start_is_one_error_with_the_bridges_message()
    {
        var ended = await RunAsync("import sc2bridge; sc2bridge.launch('No Such Map', game='simulated')");
        Assert.Equal(1, ended.ExitCode);
        Assert.Contains("LaunchError: the bridge ended with exit code 2: --map: There is no map 'No Such Map'", ended.Told, StringComparison.Ordinal);
    }

    // The build also has a program of one word, in addition to the one for dotnet.
    private static string Program => BridgeProcess.Program is [var published]
        ? published
        : Path.Combine(AppContext.BaseDirectory, OperatingSystem.IsWindows() ? "sc2bridge.exe" : "sc2bridge");

    private static async Task<Ended> RunAsync(string script)
    {
        using var python = BridgeProcess.Start(
            [MatchFolder.Python, "-c", script],
            ("SC2BRIDGE_EXECUTABLE", Program),
            ("PYTHONPATH", $"{_examples}/../src{Path.PathSeparator}{_examples}"));
        return await python.EndAsync();
    }
}
