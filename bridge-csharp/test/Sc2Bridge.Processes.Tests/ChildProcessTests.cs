using System.ComponentModel;
using System.Diagnostics;
using Sc2Bridge.Terminal;

namespace Sc2Bridge.Processes.Tests;

public sealed class ChildProcessTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-test-").FullName;
    private readonly TestTree _tree;

    public ChildProcessTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs Linux: /proc shows what is left behind");
        _tree = new TestTree(_folder);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_program_that_is_disposed_is_gone_with_all_that_it_started()
    {
        await using (Start(_tree.Program()))
        {
            await _tree.RunsAsync();
        }

        Assert.Empty(_tree.Alive());
    }

    [Fact]
    public async Task Child_processes_end_with_their_program()
    {
        await using var child = Start(_tree.Program(ending: "exit 3"));
        Assert.Equal(3, await child.Exited);
        Assert.Empty(_tree.Alive());
    }

    [Fact]
    public async Task A_program_ends_with_all_that_it_started_when_its_parent_is_killed()
    {
        var temporary = Directory.CreateDirectory(Path.Combine(_folder, "temporary")).FullName;
        var program = Path.Combine(AppContext.BaseDirectory, "Sc2Bridge.Processes.Tests");
        using var parent = Process.Start(new ProcessStartInfo(program, ["parent", _folder]) { RedirectStandardOutput = true })!;
        await _tree.RunsAsync();
        Assert.Equal(2, _tree.Alive().Count);
        parent.Kill();
        await HoldsAsync(() => _tree.Alive().Count == 0 && !Directory.Exists(temporary));
    }

    [Fact]
    public async Task A_cancelled_run_waits_until_the_program_is_gone()
    {
        using var cancel = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var run = ProcessRun.RunToEndAsync(_tree.Program(), cancel.Token);
        await _tree.RunsAsync();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => run);
        Assert.Empty(_tree.Alive());
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public async Task A_guard_that_was_stopped_does_not_keep_its_program_alive()
    {
        var child = Start(_tree.Program());
        await _tree.RunsAsync();
        using (var stop = Process.Start("kill", ["-STOP", $"{child.Id}"]))
        {
            await stop.WaitForExitAsync(Ct);
        }

        await child.DisposeAsync();
        Assert.Empty(_tree.Alive());
    }

    [Theory]
    [InlineData("exit 7", 7)]
    [InlineData("kill -9 $$", 137)]
    public async Task The_exit_code_is_the_programs(string script, int exitCode)
    {
        await using var child = Start(Shell(script));
        Assert.Equal(exitCode, await child.Exited);
    }

    [Fact]
    public async Task A_program_reads_its_input_and_its_last_words_are_the_error()
    {
        var echo = await ProcessRun.RunToEndAsync(Shell("cat"), Ct, async input => await input.WriteAsync("hello"u8.ToArray(), Ct));
        Assert.Equal("hello", echo);
        var failed = await Assert.ThrowsAsync<CommandException>(() => ProcessRun.RunToEndAsync(Shell("echo no cheese >&2; echo >&2; exit 1"), Ct));
        Assert.Equal("no cheese", failed.Message);
    }

    [Fact]
    public async Task An_output_without_end_of_line_does_not_fill_the_memory()
    {
        var lengths = new List<int>();
        await using var child = ChildProcess.Start(
            Shell("head -c 1000000 /dev/zero; echo; echo end"), line => lengths.Add(line.Length), _ => { });
        await child.Exited;
        Assert.Equal(1_000_000 + "end".Length, lengths.Sum());
        Assert.All(lengths, length => Assert.InRange(length, 1, LineReader.LongestLine));
        Assert.Equal("end".Length, lengths[^1]);
    }

    [Theory]
    [InlineData("/nowhere/program")]
    [InlineData("sc2bridge-no-such-program")]
    [InlineData("/etc/passwd")]
    public void A_program_that_cannot_be_started_is_an_error_at_once(string program) =>
        Assert.Throws<Win32Exception>(() => Start(new ProcessStartInfo(program)));

    [Theory]
    [InlineData(ChildKind.Game, new[] { "DOTNET_X", "LC_X", "NAMED", "PATH" })]
    [InlineData(ChildKind.Agent, new[] { "LC_X", "NAMED", "OMP_X", "PATH" })]
    [InlineData(ChildKind.Match, new[] { "DOTNET_X", "LC_X", "NAMED", "OMP_X", "PATH" })]
    public async Task Neither_a_program_nor_its_guard_gets_other_variables_than_its_kind_needs(ChildKind kind, string[] expected)
    {
        string[] given = ["AWS_SECRET_ACCESS_KEY", "DOTNET_X", "LC_X", "NAMED", "OMP_X", "PATH", "SC2BRIDGE_BROKER_PASSWORD"];
        foreach (var name in given.Where(name => name != "PATH"))
        {
            Environment.SetEnvironmentVariable(name, "1");
        }

        foreach (var process in new[] { "$$", "$PPID" })
        {
            var environment = await ProcessRun.RunToEndAsync(
                ChildEnvironment.CreateStartInfo(kind, "/bin/sh", ["-c", $"cat /proc/{process}/environ"], ["NAMED"]), Ct);
            Assert.Equal(expected, environment.Split('\0').Select(variable => variable.Split('=')[0]).Intersect(given).Order());
        }
    }

    private static ChildProcess Start(ProcessStartInfo start) => ChildProcess.Start(start, _ => { }, _ => { });

    private static ProcessStartInfo Shell(string script) => new("/bin/sh", ["-c", script]);
}
