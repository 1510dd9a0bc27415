using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>What a session tells the person who started it: lines as it goes, and at its end what went wrong.</summary>
internal sealed class SessionVoice
{
    private readonly List<string> _problems = [];
    private bool _logFailed;

    /// <summary>Where lines and tables go.</summary>
    internal IAnsiConsole Console { get; } = Consoles.Make();

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

    /// <summary>Says a line.</summary>
    internal void Say(string line) => Console.WriteLine(line);

    /// <summary>Keeps a line for the end, which makes the session fail.</summary>
    internal void Fail(string problem)
    {
        lock (_problems)
        {
            _problems.Add(problem);
        }
    }

    /// <summary>The same for logs: a full disk fails every one of them, and the first says it for all.</summary>
    internal void FailLog(string problem)
    {
        if (!Interlocked.Exchange(ref _logFailed, true))
        {
            Fail(problem);
        }
    }

    /// <summary>Writes a report as JSON, or tells why it cannot be.</summary>
    internal void WriteSummary<T>(T report, string path)
    {
        try
        {
            SummaryReport.Write(report, path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            FailLog($"{path} could not be written ({error.Message}): make room or choose another place");
        }
    }
}
