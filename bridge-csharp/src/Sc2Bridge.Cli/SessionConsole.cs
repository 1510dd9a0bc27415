using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>What a session tells the person who started it: lines as it goes, and at its end what went wrong.</summary>
internal sealed class SessionConsole
{
    private readonly List<string> _problems = [];

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
}
