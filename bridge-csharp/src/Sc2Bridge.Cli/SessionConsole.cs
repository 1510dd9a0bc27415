using System.Text.Json.Serialization.Metadata;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Tells the person who started a session how it goes, and at its end its problems. These lines go to standard error, and
/// results to standard output. Lines are written on a thread of their own: a terminal that is held (Ctrl-S), or a pipe that is not
/// read, delays no match.
/// </summary>
internal sealed class SessionConsole
{
    // Some MiB of lines; agents' output is among them.
    private const int MostWaiting = 65_536;

    private readonly List<string> _problems = [];
    private readonly Channel<string> _lines = Channel.CreateBounded<string>(MostWaiting);
    private readonly Task _writing;

    /// <summary>On the terminal.</summary>
    internal SessionConsole()
        : this(Consoles.Make(), Consoles.MakeForError())
    {
    }

    /// <param name="results">Gets the results.</param>
    /// <param name="told">Gets everything else.</param>
    internal SessionConsole(TerminalConsole results, TerminalConsole told)
    {
        (Results, Told) = (results, told);
        _writing = Task.Factory.StartNew(
            Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Where tables go; may hold who writes to it.</summary>
    internal TerminalConsole Results { get; }

    /// <summary>Where everything else goes; may hold who writes to it.</summary>
    internal TerminalConsole Told { get; }

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
    internal void Warn(string line)
    {
        if (_writing.IsCompleted)
        {
            Write(line);
        }
        else if (!_lines.Writer.TryWrite(line))
        {
            Losses.Lose(1, "lines were not printed: the terminal, or who reads the output, takes none");
        }
    }

    /// <summary>Writes an event for the program that reads the output. A program that has gone does not end the match.</summary>
    internal void Emit<T>(string name, T what, JsonTypeInfo<T> shape) =>
        Losses.Try(JsonReports.Event(name, what, shape), static line => System.Console.Out.WriteLine(line));

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
    internal Task EndAsync()
    {
        _lines.Writer.TryComplete();
        return _writing;
    }

    private void Run()
    {
        while (_lines.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
        {
            while (_lines.Reader.TryRead(out var line))
            {
                Write(line);
            }
        }
    }

    // Between the rows of a display only its own console finds its place.
    private void Write(string line) => Losses.Try((Told, line), static to => to.Told.WriteLine(to.line));
}
