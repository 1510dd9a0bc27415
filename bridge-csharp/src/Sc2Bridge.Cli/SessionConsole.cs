using System.Text.Json.Serialization.Metadata;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Tells the person who started a session how it goes, and at its end its problems. These lines go to standard error, and
/// results to standard output. Lines and events are written on threads of their own: a terminal that is held (Ctrl-S), or a pipe
/// that is not read, delays no match.
/// </summary>
internal sealed class SessionConsole
{
    // Some MiB of lines; agents' output is among them.
    private const int MostWaiting = 65_536;

    private readonly List<string> _problems = [];
    private readonly Writing _lines;
    private readonly Writing _events;

    /// <summary>On the terminal.</summary>
    internal SessionConsole()
        : this(Consoles.Make(), Consoles.MakeForError(), Console.Out)
    {
    }

    /// <param name="results">Gets the results.</param>
    /// <param name="messages">Gets everything else.</param>
    /// <param name="events">Gets events.</param>
    internal SessionConsole(TerminalConsole results, TerminalConsole messages, TextWriter events)
    {
        (Results, Messages) = (results, messages);

        // Between the rows of a display only its own console finds its place.
        _lines = new(this, messages.WriteLine);
        _events = new(this, events.WriteLine);
    }

    /// <summary>Where tables go; may hold who writes to it.</summary>
    internal TerminalConsole Results { get; }

    /// <summary>Where everything else goes; may hold who writes to it.</summary>
    internal TerminalConsole Messages { get; }

    /// <summary>What could not be said.</summary>
    internal SidePath Losses { get; private set; } = new("console");

    /// <summary>What went wrong so far, a line each.</summary>
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

    /// <summary>Failures of the console are logged from now on.</summary>
    internal void LogTo(ILogger logger) => Losses = new SidePath("console", logger);

    /// <summary>Says a line, unless the user wants errors only; returns at once.</summary>
    internal void Say(string line)
    {
        if (!Printing.IsQuiet)
        {
            Warn(line);
        }
    }

    /// <summary>Says a line in any case; returns at once.</summary>
    internal void Warn(string line) => _lines.Add(line);

    /// <summary>
    /// Writes an event for the program that reads the output; returns at once. A program that has gone does not end the match.
    /// </summary>
    internal void Emit<T>(string name, T what, JsonTypeInfo<T> shape) => _events.Add(JsonReports.Event(name, what, shape));

    /// <summary>Keeps a line for the end, which makes the session fail.</summary>
    internal void Fail(string problem)
    {
        lock (_problems)
        {
            _problems.Add(problem);
        }
    }

    /// <summary>
    /// Waits until all that was said is written. What is said later is written at once, and may hold who says it.
    /// </summary>
    internal Task EndAsync() => Task.WhenAll(_lines.EndAsync(), _events.EndAsync());

    // A thread that writes lines.
    private sealed class Writing
    {
        private readonly Channel<string> _waiting = Channel.CreateBounded<string>(MostWaiting);
        private readonly SessionConsole _console;
        private readonly Action<string> _write;
        private readonly Task _thread;

        internal Writing(SessionConsole console, Action<string> write)
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
                _console.Losses.Lose(1, "lines were not printed: the terminal, or who reads the output, takes none");
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
