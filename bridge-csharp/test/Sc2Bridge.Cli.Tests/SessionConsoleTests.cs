using System.IO.Pipes;
using System.Text;
using Sc2Bridge.Terminal;
using Spectre.Console;

namespace Sc2Bridge.Cli.Tests;

/// <summary>A console that is held or fails neither holds nor ends what tells it something.</summary>
public sealed class SessionConsoleTests
{
    [Fact]
    public async Task A_paused_terminal_blocks_no_caller_and_gets_its_lines_later()
    {
        using var terminal = new Terminal();
        var console = new SessionConsole(Console(TextWriter.Null), Console(terminal), TextWriter.Null);
        const int lines = 70_000;
        for (var line = 0; line < lines; line++)
        {
            console.Print($"line {line}");
        }

        terminal.GoOn.Set();
        await console.DrainAsync();
        var written = terminal.Text.Split('\n').Count(line => line.StartsWith("line ", StringComparison.Ordinal));
        Assert.InRange(written, 65_536, 65_540);
        Assert.Equal(lines - written, console.Losses.Lost);
    }

    [Fact]
    public async Task A_terminal_that_fails_in_any_way_loses_lines_only()
    {
        using var terminal = new Terminal { Fails = true };
        terminal.GoOn.Set();
        var console = new SessionConsole(Console(terminal), Console(terminal), TextWriter.Null);
        console.Print("one");
        console.PrintAlways("two");
        console.AddProblem("a problem");
        await console.DrainAsync();
        console.Print("three");
        Assert.Equal((3L, "a terminal's defect"), (console.Losses.Lost, console.Losses.Problem));
        Assert.Equal(["a problem"], console.Problems);
    }

    [Fact]
    public async Task A_pipe_that_is_not_read_blocks_no_match_and_later_has_all_events()
    {
        using var pipe = new AnonymousPipeServerStream(PipeDirection.In);
        using var written = new AnonymousPipeClientStream(PipeDirection.Out, pipe.ClientSafePipeHandle);
        await using var events = new StreamWriter(written) { AutoFlush = true };

        // Closed first, which ends a write that waits.
        using var reader = new StreamReader(pipe);
        var console = new SessionConsole(Console(TextWriter.Null), Console(TextWriter.Null), events);
        await Task.Run(
            () =>
            {
                for (var port = 0; port < 10_000; port++)
                {
                    console.EmitEvent("bot_address", new BotAddressEvent(1, "127.0.0.1", port), JsonReports.Default.BotAddressEvent);
                }
            },
            TestContext.Current.CancellationToken).WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        var ended = console.DrainAsync();
        Assert.False(ended.IsCompleted);
        for (var port = 0; port < 10_000; port++)
        {
            Assert.Contains($"\"port\":{port}}}", await reader.ReadLineAsync(TestContext.Current.CancellationToken), StringComparison.Ordinal);
        }

        await ended;
    }

    private static TerminalConsole Console(TextWriter terminal) => new(AnsiConsole.Create(new AnsiConsoleSettings
    {
        Ansi = AnsiSupport.No,
        Interactive = InteractionSupport.No,
        Out = new AnsiConsoleOutput(terminal),
    }));

    private sealed class Terminal : TextWriter
    {
        private readonly StringBuilder _text = new();

        public ManualResetEventSlim GoOn { get; } = new();

        public bool Fails { get; init; }

        public string Text => _text.ToString();

        public override Encoding Encoding => Encoding.UTF8;

        public override void Write(char value)
        {
            GoOn.Wait();
            if (Fails)
            {
                throw new InvalidTimeZoneException("a terminal's defect");
            }

            _text.Append(value);
        }

        protected override void Dispose(bool disposing)
        {
            GoOn.Dispose();
            base.Dispose(disposing);
        }
    }
}
