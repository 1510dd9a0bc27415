using static Sc2Bridge.Functional.Tests.CompareTests;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Wrong options, missing programs and failures in the middle of <c>sc2bridge compare</c>.</summary>
public sealed class CompareFailureTests
{
    [Fact]
    [Trait("Suite", "Long")]
    public async Task An_agent_with_unexpected_output_fails_its_cell_and_leaves_no_files()
    {
        using var folder = new MatchFolder();
        var python = Path.Combine(folder.Path, "python");
        await ProgramAsync(python, $$"""
            #!/bin/sh
            case "$*" in
              *" receive") echo '{}'; read order; echo this is no answer; cat ;;
              *) exec {{MatchFolder.Python}} $* ;;
            esac
            """);
        var temporary = Directory.CreateDirectory(Path.Combine(folder.Path, "temporary")).FullName;
        string[] words =
        [
            "compare", .. Tiny, "--recording", Sample, "--only", "bridge/grpc/none/observation/22.4",
            "--python", python,
        ];
        using var compare = BridgeProcess.Start(words.AsEnumerable(), ("TMPDIR", temporary));
        var failed = await compare.EndAsync();
        Assert.Equal(1, failed.ExitCode);
        var line = Assert.Single(failed.Output.Split('\n'), line => line.StartsWith("not measured", StringComparison.Ordinal));
        Assert.Contains("printed something else than was expected", line, StringComparison.Ordinal);
        Assert.Empty(Directory.GetDirectories(temporary, "sc2bridge-*"));
    }

    [Fact]
    public async Task Temporary_files_are_deleted_also_after_a_closed_terminal_and_a_killed_process()
    {
        using var folder = new MatchFolder();
        var temporary = Directory.CreateDirectory(Path.Combine(folder.Path, "temporary")).FullName;
        IEnumerable<string> words =
        [
            "compare", "--quick", "--rounds", "1", "--seconds", "60", "--recording", Sample, "--python", MatchFolder.Python, "--only",
            "bridge/grpc/none/observation/22.4",
        ];
        using var compare = BridgeProcess.Start(words, ("TMPDIR", temporary));

        // A killed sender leaves its socket file. A closed terminal stops the other processes.
        await compare.UntilAsync(HasSocket);
        BridgeProcess.Signal(compare.With(" compare send ")[0], BridgeProcess.KillSignal);
        compare.Signal(BridgeProcess.HangUp);
        Assert.Equal(130, (await compare.EndAsync()).ExitCode);
        Assert.Empty(Left());

        string[] Left() => Directory.GetDirectories(temporary, "sc2bridge-*");

        bool HasSocket() => Left().Any(made => File.Exists(Path.Combine(made, "1")));
    }

    [Fact]
    [Trait("Suite", "Long")]
    public async Task A_file_that_cannot_be_written_is_reported_below_the_tables()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "needs /dev/full");
        var ended = await CompareAsync(
            [.. Tiny, "--recording", Sample, "--only", "bridge/grpc/none/observation/22.4", "--json", "/dev/full"]);
        Assert.Equal(1, ended.ExitCode);
        Assert.Contains("transports", ended.Output, StringComparison.Ordinal);
        Assert.Contains("/dev/full", ended.Error[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--only nothing: nothing is called so; the tables are transports", "--only", "nothing")]
    [InlineData("--quick, --contents, and --agents with --link have tables of their own: use one of them", "--quick", "--agents", "20")]
    [InlineData("--agents none: write a whole number from 1 on", "--agents", "none")]
    [InlineData("nothing is called so; the tables are ways to 1 agent on this machine, ways to 2 agents", "--agents", "2", "--only", "nothing")]
    [InlineData("--from is of a recording", "--from", "7")]
    [InlineData("/there/is/none.mcap cannot be opened", "--recording", "/there/is/none.mcap")]
    [InlineData("name an interpreter that has the sc2bridge package with --python", "--python", "/there/is/none")]
    [InlineData("/there/is/none/a.json cannot be written", "--json", "/there/is/none/a.json")]
    [InlineData("--seconds never: write seconds", "--seconds", "never")]
    [InlineData("--seconds 0.00000001: write seconds", "--seconds", "0.00000001")]
    [InlineData("--only has an empty value", "--only", " ")]
    [InlineData("--python has an empty value", "--python", "")]
    [InlineData("/tmp is a folder: name a file in it", "--json", "/tmp")]
    [InlineData("/there/a.mcap is the recording itself", "--recording", "/there/a.mcap", "--json", "/there/a.mcap")]
    public async Task A_wrong_option_is_one_line_that_says_what_to_write(string words, params string[] options) =>
        (await CompareAsync(options)).Says(2, "sc2bridge: ", words);

    [Fact]
    public async Task A_link_that_cannot_be_created_is_one_line_with_its_requirements()
    {
        using var folder = new MatchFolder();
        await ProgramAsync(Path.Combine(folder.Path, "ip"), "#!/bin/sh\necho 'no ip here' >&2\nexit 1\n");
        IEnumerable<string> words = ["compare", "--link", "50", "--recording", Sample, "--python", MatchFolder.Python];
        using var compare = BridgeProcess.Start(words, ("PATH", $"{folder.Path}:{Environment.GetEnvironmentVariable("PATH")}"));
        (await compare.EndAsync()).Says(2, "sc2bridge: --link 50: ", "a slow link needs");
    }

    private static async Task ProgramAsync(string path, string script)
    {
        await File.WriteAllTextAsync(path, script, Ct);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
    }
}
