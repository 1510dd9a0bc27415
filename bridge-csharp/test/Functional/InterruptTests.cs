using Sc2Bridge.Recordings;

namespace Sc2Bridge.Functional.Tests;

/// <summary>A match that is stopped from outside.</summary>
public sealed class InterruptTests : MatchFolderTests
{
    [Theory]
    [InlineData(BridgeProcess.Interrupt)]
    [InlineData(BridgeProcess.Terminate)]
    [InlineData(BridgeProcess.HangUp, Traits = ["Suite", "Long"])]
    public async Task A_stopped_match_notifies_its_agents_and_leaves_complete_logs_and_no_process(int signal)
    {
        using var match = Folder.Match("--agent", "sc2bridge.agents:Watcher", "--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);

        // A terminal's Ctrl-C goes to the agents as well; a service manager's TERM, or a HUP, to the bridge alone.
        match.Signal(signal, group: signal == BridgeProcess.Interrupt);
        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        Assert.Contains("ms to decode one: stopped", ended.Told, StringComparison.Ordinal);
        Assert.Contains("ended (stopped)", ended.Output, StringComparison.Ordinal);
        Folder.Steps().Complete(20);
        Folder.AgentsHeard("watcher-1-shm");
        Assert.True(File.Exists(Path.Combine(Folder.Out, "summary.json")));
    }

    [Fact]
    public async Task A_closed_terminal_stops_a_match_which_leaves_complete_logs()
    {
        BridgeProcess.NeedTerminals();

        // A terminal of its own, which is closed when a line is typed.
        const string Terminal = """
            import os, pty, select, sys

            process, terminal = pty.fork()
            if not process:
                os.execvp(sys.argv[1], sys.argv[1:])
            while 0 not in select.select([0, terminal], [], [])[0]:
                os.read(terminal, 65536)
            os.close(terminal)
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
            """;
        using var match = Folder.Match(
            ["--agent", "sc2bridge.agents:Watcher", "--rate", "100"], [], MatchFolder.Python, "-c", Terminal);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        match.Type("close it\n");
        await match.IsGoneAsync();
        Assert.Equal(130, (await match.EndAsync()).ExitCode);
        Folder.Steps().Complete(20);
        Folder.AgentsHeard("watcher-1-shm");
        Assert.True(IsRecorded());
        Assert.True(File.Exists(Path.Combine(Folder.Out, "summary.json")));
    }

    [Fact]
    public async Task A_second_Ctrl_C_ends_a_match_whose_output_is_not_read()
    {
        // Its output is a full pipe that is not read.
        const string Held = """
            import os, sys

            read, write = os.pipe()
            os.set_inheritable(read, True)
            os.set_blocking(write, False)
            try:
                while True:
                    os.write(write, b".")
            except BlockingIOError:
                os.set_blocking(write, True)
            os.dup2(write, 1)
            os.execvp(sys.argv[1], sys.argv[1:])
            """;
        using var match = Folder.Match(
            ["--agent", "sc2bridge.agents:Watcher", "--rate", "100"], [], MatchFolder.Python, "-c", Held);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        await match.UntilAsync(() =>
        {
            BridgeProcess.TrySignal(match.Id, BridgeProcess.Interrupt);
            return !match.Alive().ContainsKey(match.Id);
        });

        // .NET's console has one lock for output and errors, so the line with the reason is not written either.
        Assert.Equal(130, (await match.EndAsync()).ExitCode);
        Folder.Steps().Complete(20);
    }

    [Theory]
    [InlineData(BridgeProcess.Interrupt, 100)]
    [InlineData(BridgeProcess.Terminate, int.MaxValue)]
    public async Task Signals_that_follow_the_first_change_nothing(int signal, int most)
    {
        using var match = Folder.Match("--agent", "sc2bridge.agents:Watcher", "--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);

        // Signals of one press of Ctrl-C. A later press aborts an exit that takes long.
        for (var sent = 0; sent < most && (most < int.MaxValue || match.Alive().ContainsKey(match.Id)); sent++)
        {
            BridgeProcess.TrySignal(match.Id, signal);
        }

        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        Assert.Contains("ended (stopped)", ended.Output, StringComparison.Ordinal);
        Folder.Steps().Complete(20);
        Folder.AgentsHeard("watcher-1-shm");
    }

    [Fact]
    public async Task A_second_interrupt_aborts_a_long_exit_with_one_line_and_leaves_no_process()
    {
        var temporary = Directory.CreateDirectory(Path.Combine(Folder.Path, "temporary")).FullName;
        using var match = Folder.Match(["--agent", "stayer:Stayer", "--rate", "100"], [("TMPDIR", temporary)]);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        match.Signal(BridgeProcess.Interrupt, group: true);
        await match.LineAsync("stays");
        await match.LineAsync("stopping; press Ctrl-C again to exit at once");
        await match.UntilAsync(IsRecorded);
        match.Signal(BridgeProcess.Interrupt, group: true);
        (await match.EndAsync()).Says(130, "stopped at once by another Ctrl-C", "killed");
        Assert.Empty(Directory.GetDirectories(temporary, "sc2bridge-game-*"));

        // The match had ended: only agents that stayed were killed.
        Folder.Steps().Complete(20);
        Assert.True(IsRecorded());
    }

    // Whether the recording is closed, with the match's end; it gets its name when the agents have left.
    private bool IsRecorded()
    {
        var path = Path.Combine(Folder.Out, "match.mcap");
        try
        {
            using var recording = RecordingReader.Open(File.Exists(path) ? path : path + ".partial");
            return recording.Problem is null && recording.ReadEnd()?.Reason == V1.EndReason.Stopped;
        }
        catch (RecordingException)
        {
            return false;
        }
    }

    [Fact]
    public async Task A_match_is_stopped_while_it_waits_for_subscribers()
    {
        using var match = Folder.Match("--wait", "1");
        await match.LineAsync("gRPC on");
        match.Signal(BridgeProcess.Interrupt, group: true);
        (await match.EndAsync()).Says(130, "stopped");
    }

    [Fact]
    public async Task The_end_of_standard_input_stops_a_match_like_an_interrupt()
    {
        using var match = Folder.Match("--stop-at-input-end", "--agent", "sc2bridge.agents:Watcher", "--rate", "100");
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        match.EndInput();
        var ended = await match.EndAsync();
        Assert.Empty(ended.Error);
        Assert.Equal(130, ended.ExitCode);
        Assert.True(IsRecorded());
    }

    [Fact]
    public async Task A_killed_bridge_leaves_no_game_process_and_complete_rows()
    {
        var temporary = Directory.CreateDirectory(Path.Combine(Folder.Path, "temporary")).FullName;
        using var match = Folder.Match(["--no-agents"], [("TMPDIR", temporary)]);
        await match.UntilAsync(() => Folder.StepsSoFar() >= 20);
        Assert.NotEmpty(Directory.GetDirectories(temporary, "sc2bridge-game-*"));
        match.Signal(BridgeProcess.KillSignal);

        // Ends when all processes of the match have ended.
        Assert.Equal(137, (await match.EndAsync()).ExitCode);
        Assert.Empty(Directory.GetDirectories(temporary, "sc2bridge-game-*"));
        Folder.Steps().Complete(20);
    }
}
