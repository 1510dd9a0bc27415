using Sc2Bridge.Terminal;

namespace Sc2Bridge.Functional.Tests;

/// <summary>The Python interpreter that starts agents.</summary>
public sealed class PythonInterpreterTests : MatchFolderTests
{
    [Theory]
    [InlineData("bin", "sc2bridge")]
    [InlineData("Scripts", "sc2bridge.exe")]
    public void A_program_in_a_virtual_environment_takes_its_Python(string scripts, string program)
    {
        var path = Path.Combine(Folder.Path, scripts, program);
        Assert.Null(PythonInterpreter.EnvironmentOf(path));
        File.WriteAllText(Path.Combine(Folder.Path, "pyvenv.cfg"), "");
        Assert.Equal(Folder.Path, PythonInterpreter.EnvironmentOf(path));
    }

    [Theory]
    [InlineData(false, "bin/sc2bridge", "bin/python3")]
    [InlineData(true, "Scripts/sc2bridge.exe", "python.exe")]
    [InlineData(true, "Scripts/sc2bridge.exe", "Scripts/python.exe")]
    public void One_beside_it_is_taken_too(bool windows, string program, string python)
    {
        var path = Path.Combine(Folder.Path, program);
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        Assert.Null(PythonInterpreter.FindNextTo(path, windows));
        File.WriteAllText(Path.Combine(Folder.Path, python), "");
        Assert.Equal(Path.Combine(Folder.Path, python), PythonInterpreter.FindNextTo(path, windows));
    }

    [Fact]
    public void The_one_that_the_launcher_for_Windows_made_is_in_the_clone()
    {
        Assert.Null(PythonInterpreter.EnvironmentOfClone(Folder.Path));
        Directory.CreateDirectory(Path.Combine(Folder.Path, ".venv", "Scripts"));
        File.WriteAllText(Path.Combine(Folder.Path, ".venv", "Scripts", "python.exe"), "");
        Assert.Equal(Path.Combine(Folder.Path, ".venv"), PythonInterpreter.EnvironmentOfClone(Folder.Path));
    }

    [Fact]
    public void One_that_was_asked_for_comes_first() => Assert.Equal("pypy3", PythonInterpreter.Find("pypy3"));

    [Fact]
    public async Task An_agent_is_run_by_it_with_its_exit_code_and_signals()
    {
        using var refused = Run("nowhere:Missing");
        (await refused.EndAsync()).Says(2, "sc2bridge: agent 'nowhere:Missing': module nowhere was not found");
        using var helped = Run("--help");
        var help = (await helped.EndAsync()).Output;
        Assert.Contains("usage: sc2bridge run", help, StringComparison.Ordinal);
        using var asked = Start("help", "run");
        Assert.Equal(help, (await asked.EndAsync()).Output);
        using var match = Folder.Match("--steps", "100000", "--rate", "100", "--wait", "1");
        var grpc = (await match.LineAsync("gRPC on")).Split("gRPC on ")[1].Split(',')[0];
        using var watcher = Run("sc2bridge.agents:Watcher", "--bridge", $"grpc://{grpc}");
        await watcher.LineAsync("watching ");
        watcher.Signal(BridgeProcess.Interrupt);
        var ended = await watcher.EndAsync();
        Assert.Equal(130, ended.ExitCode);
        Assert.Contains("interrupted", ended.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task If_there_is_none_the_error_names_it()
    {
        using var run = BridgeProcess.Start(
            [.. BridgeProcess.Program, "run", "a:A"], ("SC2BRIDGE_PYTHON_ENVIRONMENT", "/nowhere"));
        (await run.EndAsync()).Says(2, "cannot start Python as '/nowhere/bin/python' (No such file or directory)");
    }

    private static BridgeProcess Run(params string[] words) => Start(["run", .. words]);

    private static BridgeProcess Start(params string[] words) => BridgeProcess.Start(
        [.. BridgeProcess.Program, .. words],
        MatchFolder.Python is "python3" ? [] : [("SC2BRIDGE_PYTHON_ENVIRONMENT", Path.GetFullPath($"{MatchFolder.Python}/../.."))]);
}
