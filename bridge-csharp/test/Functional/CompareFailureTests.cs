using static Sc2Bridge.Functional.Tests.CompareTests;

namespace Sc2Bridge.Functional.Tests;

/// <summary>What is asked for wrongly, cannot be had or breaks in the middle of <c>sc2bridge compare</c>.</summary>
public sealed class CompareFailureTests
{
    [Fact]
    public async Task An_agent_that_prints_something_else_fails_its_cell_which_the_same_command_measures_again()
    {
        using var folder = new MatchFolder();
        var python = Path.Combine(folder.Path, "python");
        await WriteAsync("echo '{}'; read order; echo this is no answer; cat");
        var temporary = Directory.CreateDirectory(Path.Combine(folder.Path, "temporary")).FullName;
        string[] words =
        [
            "compare", .. Tiny, "--recording", Sample, "--only", "bridge/grpc/none/observation/22.4",
            "--out", Path.Combine(folder.Path, "kept"), "--python", python,
        ];
        var failed = await RunAsync();
        Assert.Equal(1, failed.ExitCode);
        var line = Assert.Single(failed.Output.Split('\n'), line => line.StartsWith("not measured", StringComparison.Ordinal));
        Assert.Contains("printed something else than was expected", line, StringComparison.Ordinal);

        await WriteAsync($"exec {MatchFolder.Python} $*");
        var again = await RunAsync();
        Assert.Equal(0, again.ExitCode);
        Assert.DoesNotContain("not measured", again.Output, StringComparison.Ordinal);
        Assert.DoesNotContain(again.Error, said => said.Contains("made before", StringComparison.Ordinal));

        // Nor of any of the two is anything left where programs put what they need for a while.
        Assert.Empty(Directory.GetDirectories(temporary, "sc2bridge-*"));

        async Task<Ended> RunAsync()
        {
            using var compare = BridgeProcess.Start(words.AsEnumerable(), ("TMPDIR", temporary));
            return await compare.EndAsync();
        }

        async Task WriteAsync(string receive)
        {
            var script = $"""
                #!/bin/sh
                case "$*" in
                  *" receive") {receive} ;;
                  *) exec {MatchFolder.Python} $* ;;
                esac
                """;
            await ProgramAsync(python, script);
        }
    }

    [Fact]
    public async Task What_its_processes_need_for_a_while_is_gone_however_they_end()
    {
        using var folder = new MatchFolder();
        const string Cell = "bridge/grpc/none/observation/22.4";
        var temporary = Directory.CreateDirectory(Path.Combine(folder.Path, "temporary")).FullName;
        using (var compare = Start(Cell))
        {
            // A sender that is killed leaves its socket; a closed terminal stops the rest.
            await compare.UntilAsync(HasSocket);
            BridgeProcess.Signal(compare.With(" compare send ")[0], BridgeProcess.KillSignal);
            compare.Signal(BridgeProcess.HangUp);
            Assert.Equal(130, (await compare.EndAsync()).ExitCode);
            Assert.Empty(Left());
        }

        using (var compare = Start(Cell))
        {
            await compare.UntilAsync(HasSocket);
            compare.Signal(BridgeProcess.KillSignal);
            Assert.Equal(137, (await compare.EndAsync()).ExitCode);
        }

        // The next one removes that, whatever comes of it.
        Assert.NotEmpty(Left());
        using var next = Start("nothing is called so");
        Assert.Equal(1, (await next.EndAsync()).ExitCode);
        Assert.Empty(Left());

        BridgeProcess Start(string only)
        {
            IEnumerable<string> words =
            [
                "compare", "--quick", "--rounds", "1", "--seconds", "60", "--recording", Sample, "--python",
                MatchFolder.Python, "--only", only,
            ];
            return BridgeProcess.Start(words, ("TMPDIR", temporary));
        }

        string[] Left() => Directory.GetDirectories(temporary, "sc2bridge-*");

        bool HasSocket() => Left().Any(made => File.Exists(Path.Combine(made, "1")));
    }

    [Fact]
    public async Task What_cannot_be_written_costs_no_other_result()
    {
        using var folder = new MatchFolder();
        var table = Path.Combine(folder.Path, "a.csv");
        Assert.SkipUnless(File.Exists("/dev/full"), "needs /dev/full");
        var ended = await CompareAsync(
            [
                .. Tiny, "--recording", Sample, "--only", "bridge/grpc/none/observation/22.4", "--json", "/dev/full",
                "--csv", table,
            ]);
        Assert.Equal(1, ended.ExitCode);
        Assert.Contains("/dev/full could not be written", ended.Error[^1], StringComparison.Ordinal);
        Assert.True(File.Exists(table));
    }

    [Theory]
    [InlineData("--only nothing: nothing is called so; the tables are transports", "--only", "nothing")]
    [InlineData("--from is of a recording", "--from", "7")]
    [InlineData("/there/is/none.mcap cannot be opened", "--recording", "/there/is/none.mcap")]
    [InlineData("name an interpreter that has the sc2bridge package with --python", "--python", "/there/is/none")]
    [InlineData("/there/is/none/a.csv cannot be written", "--csv", "/there/is/none/a.csv")]
    [InlineData("--seconds never: write seconds", "--seconds", "never")]
    [InlineData("--seconds 0.00000001: write seconds", "--seconds", "0.00000001")]
    [InlineData("--out has an empty value", "--out", "")]
    [InlineData("--only has an empty value", "--only", " ")]
    [InlineData("--python has an empty value", "--python", "")]
    [InlineData("/tmp is a folder: name a file in it", "--json", "/tmp")]
    [InlineData("/there/../a is named for two results", "--json", "/a", "--csv", "/there/../a")]
    [InlineData("/there/a.mcap is the recording itself", "--recording", "/there/a.mcap", "--json", "/there/a.mcap")]
    public async Task A_wrong_option_is_one_line_that_says_what_to_write(string words, params string[] options) =>
        (await CompareAsync(options)).Says(1, "sc2bridge: ", words);

    private static async Task ProgramAsync(string path, string script)
    {
        await File.WriteAllTextAsync(path, script, Ct);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
    }
}
