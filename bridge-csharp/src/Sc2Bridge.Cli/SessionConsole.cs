using System.Text.Json.Serialization.Metadata;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Prints the progress of a session, and its problems at the end. These lines go to standard error, and results go to
/// standard output. Separate threads write lines and events, so a paused terminal (Ctrl-S) or a pipe that no program reads
/// does not delay a match.
/// </summary>
internal sealed class SessionConsole
{
    // The maximum number of queued lines, some MiB in total. The output of agents is queued too.
    private const int MaxQueuedLines = 65_536;

    private readonly List<string> _problems = [];
    private readonly LineQueue _lines;
    private readonly LineQueue _events;

    /// <summary>Uses standard output and standard error.</summary>
    internal SessionConsole()
        : this(Consoles.CreateForOutput(), Consoles.CreateForError(), Console.Out)
    {
    }

    /// <param name="results">The console for results.</param>
    /// <param name="messages">The console for all other lines.</param>
    /// <param name="events">The writer for events.</param>
    internal SessionConsole(TerminalConsole results, TerminalConsole messages, TextWriter events)
    {
        (Results, Messages) = (results, messages);

        // Only the console that shows the progress can print lines above the rows of the progress.
        _lines = new(this, messages.WriteLine);
        _events = new(this, events.WriteLine);
    }

    /// <summary>The console for tables. Writing may block.</summary>
    internal TerminalConsole Results { get; }

    /// <summary>The console for everything else. Writing may block.</summary>
    internal TerminalConsole Messages { get; }

    /// <summary>Counts the lines that could not be printed.</summary>
    internal SidePath Losses { get; private set; } = new("console");

    /// <summary>The problems so far, one line for each.</summary>
    internal IReadOnlyList<string> Problems
    {
        get
        {
            lock (_problems)
            {
                return [.. _problems];
            }
        }
    }

    /// <summary>After this call, failures of the console are logged.</summary>
    internal void LogTo(ILogger logger) => Losses = new SidePath("console", logger);

    /// <summary>Queues a line to be printed, unless the user wants only errors.</summary>
    internal void Print(string line)
    {
        if (!Printing.IsQuiet)
        {
            PrintAlways(line);
        }
    }

    /// <summary>Queues a line to be printed in any case.</summary>
    internal void PrintAlways(string line) => _lines.Add(line);

    /// <summary>
    /// Queues an event for the program that reads the output. If that program has ended, the match continues.
    /// </summary>
    internal void EmitEvent<T>(string name, T value, JsonTypeInfo<T> shape) => _events.Add(JsonReports.Event(name, value, shape));

    /// <summary>Adds a problem. The problem is printed at the end, and the session fails.</summary>
    internal void AddProblem(string problem)
    {
        lock (_problems)
        {
            _problems.Add(problem);
        }
    }

    /// <summary>
    /// Waits until all queued lines are written. Later lines are written directly, which may block the caller.
    /// </summary>
    internal Task DrainAsync() => Task.WhenAll(_lines.EndAsync(), _events.EndAsync());

    // A queue of lines, and the thread that writes them.
    private sealed class LineQueue
    {
        private readonly Channel<string> _waiting = Channel.CreateBounded<string>(MaxQueuedLines);
        private readonly SessionConsole _console;
        private readonly Action<string> _write;
        private readonly Task _thread;

        internal LineQueue(SessionConsole console, Action<string> write)
        {
            (_console, _write) = (console, write);
            _thread = Task.Factory.StartNew(
                Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        internal void Add(string line)
        {
            if (_thread.IsCompleted)
            {
                Write(line);
            }
            else if (!_waiting.Writer.TryWrite(line))
            {
                _console.Losses.ReportLoss(1, "lines were not printed, because the terminal, or the program that reads the output, did not read them");
            }
        }

        internal Task EndAsync()
        {
            _waiting.Writer.TryComplete();
            return _thread;
        }

        private void Run()
        {
            while (_waiting.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
            {
                while (_waiting.Reader.TryRead(out var line))
                {
                    Write(line);
                }
            }
        }

        private void Write(string line) => _console.Losses.Try((_write, line), static to => to._write(to.line));
    }
}
