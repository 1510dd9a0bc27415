using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// What a session tells the person who started it: lines as it goes, and at its end what went wrong. Lines are written on
/// a thread of their own: a terminal that is held (Ctrl-S), or a pipe that is not read, delays no match.
/// </summary>
internal sealed class SessionConsole
{
    // Some MiB of lines; agents' output is among them.
    private const int MostWaiting = 65_536;

    private readonly List<string> _problems = [];
    private readonly Channel<(string Line, bool IsError)> _lines =
        Channel.CreateBounded<(string Line, bool IsError)>(MostWaiting);

    private readonly TextWriter _error;
    private readonly Task _writing;

    /// <summary>On the terminal.</summary>
    internal SessionConsole()
        : this(Consoles.Make(), System.Console.Error)
    {
    }

    internal SessionConsole(TerminalConsole console, TextWriter error)
    {
        (Console, _error) = (console, error);
        _writing = Task.Factory.StartNew(
            Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Where tables go; may hold who writes to it.</summary>
    internal TerminalConsole Console { get; }

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

    /// <summary>Says a line; returns at once.</summary>
    internal void Say(string line) => Post(line, isError: false);

    /// <summary>Says a line on standard error; returns at once.</summary>
    internal void Warn(string line) => Post(line, isError: true);

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

    private void Post(string line, bool isError)
    {
        if (_writing.IsCompleted)
        {
            Write(line, isError);
        }
        else if (!_lines.Writer.TryWrite((line, isError)))
        {
            Losses.Lose(1, "lines were not printed: the terminal, or who reads the output, takes none");
        }
    }

    private void Run()
    {
        while (_lines.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
        {
            while (_lines.Reader.TryRead(out var next))
            {
                Write(next.Line, next.IsError);
            }
        }
    }

    private void Write(string line, bool isError) => Losses.Try((Console, _error, line, isError), static to =>
    {
        var (console, error, line, isError) = to;

        // Between the lines of a live table only its own console finds its place.
        if (isError && (System.Console.IsErrorRedirected || !console.IsInteractive))
        {
            error.WriteLine(line);
        }
        else
        {
            console.WriteLine(line);
        }
    });
}
