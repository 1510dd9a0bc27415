using System.ComponentModel;
using System.Diagnostics;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Cli;

/// <summary>The process of a Python agent that the match started. Its output is printed line by line.</summary>
internal sealed class AgentProcess : IAsyncDisposable
{
    // These lines are enough for a chain of exceptions, because Python does not print repeated lines of a traceback.
    private const int KeptLines = 200;

    // How long an agent may make no progress after the match has ended.
    private static readonly TimeSpan ExitTimeout = TimeSpan.FromSeconds(20);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(100);

    // The last lines of the process's standard error, and of all its output.
    private readonly LastLines _errors;
    private readonly LastLines _lines;

    private readonly ChildProcess _process;
    private readonly Func<AgentProcess> _restart;
    private bool _wasKilled;

    private AgentProcess(string name, ChildProcess process, LastLines errors, LastLines lines, Func<AgentProcess> restart) =>
        (Name, _process, _errors, _lines, _restart) = (name, process, errors, lines, restart);

    /// <summary>The name in logs and tables.</summary>
    internal string Name { get; }

    /// <summary>Completes with the exit code when the process has ended.</summary>
    internal Task<int> Exited => _process.Exited;

    /// <summary>Starts the agent.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="name">The name of the agent in logs and tables.</param>
    /// <param name="arguments">The arguments after <c>python -m sc2bridge run</c>.</param>
    /// <param name="credentials">The token and the fingerprint for the agent's connection.</param>
    /// <param name="variables">Names of additional environment variables that the agent gets.</param>
    /// <param name="print">Prints each line of the agent's output.</param>
    /// <exception cref="CommandException">The interpreter cannot be started.</exception>
    internal static AgentProcess Start(
        string python, string name, IReadOnlyList<string> arguments, AgentCredentials credentials,
        IReadOnlyList<string> variables, Action<string> print)
    {
        var start = ChildEnvironment.CreateStartInfo(ChildKind.Agent, python, ["-m", "sc2bridge", "run", .. arguments], variables);
        start.Environment["PYTHONPATH"] = PythonInterpreter.PythonPathFromHere;
        start.Environment["PYTHONUNBUFFERED"] = "1";

        // These values are passed in variables and not in arguments, because all programs of the machine can read arguments.
        start.Environment["SC2BRIDGE_TOKEN"] = credentials.Token;
        start.Environment["SC2BRIDGE_FINGERPRINT"] = credentials.Fingerprint;

        // A client accepts a CA or a fingerprint, not both. So the CA of this process's environment is not passed on.
        start.Environment.Remove("SC2BRIDGE_CA");
        var (errors, lines) = (new LastLines(KeptLines), new LastLines(KeptLines));
        try
        {
            var process = ChildProcess.Start(start, Print, line =>
            {
                errors.Add(line);
                Print(line);
            });
            process.Input.Close();
            return new AgentProcess(
                name, process, errors, lines, () => Start(python, name, arguments, credentials, variables, print));
        }
        catch (Win32Exception error)
        {
            throw new CommandException(
                $"cannot start Python as '{python}' ({error.Message}): name an interpreter with --python", error);
        }

        void Print(string line)
        {
            lines.Add(line);
            print($"[{name}] {line}");
        }
    }

    /// <summary>
    /// The last lines of the agent's standard error, from the first traceback, or the first stack of a slow step, on. Empty if they contain none.
    /// </summary>
    internal IReadOnlyList<string> Traceback() => LinesFrom("(most recent call last):");

    /// <summary>What is known about the process, for a post-mortem.</summary>
    internal AgentFacts Facts
    {
        get
        {
            int? code = Exited.IsCompletedSuccessfully ? Exited.Result : null;
            return new AgentFacts(Name, code, _wasKilled, _lines.Lines, code is null or 0 ? LinesFrom("Stack of a step") : Traceback());
        }
    }

    private string[] LinesFrom(string words) => [.. _errors.Lines.SkipWhile(line => !line.Contains(words, StringComparison.Ordinal))];

    /// <summary>Starts another process of the same agent.</summary>
    /// <exception cref="CommandException">The interpreter cannot be started any more.</exception>
    internal AgentProcess StartAgain() => _restart();

    /// <summary>Ends the process and its children, and waits until the process has ended.</summary>
    public ValueTask DisposeAsync() => _process.DisposeAsync();

    /// <summary>
    /// Called after the match. Waits until the agent exits, as long as the agent makes progress with the remaining frames. Kills an
    /// agent that makes no progress.
    /// </summary>
    /// <param name="progress">The progress of the agents.</param>
    /// <param name="print">Prints a line if the agent is killed.</param>
    /// <param name="interrupted">If cancelled, progress no longer extends the wait.</param>
    internal async Task WaitForExitAsync(AgentProgress progress, Action<string> print, CancellationToken interrupted)
    {
        var (mark, since) = (progress.ProgressMark(Name), Stopwatch.GetTimestamp());
        while (await Task.WhenAny(Exited, Task.Delay(PollInterval, CancellationToken.None)) != Exited)
        {
            if (progress.ProgressMark(Name) is var now && now != mark && !interrupted.IsCancellationRequested)
            {
                (mark, since) = (now, Stopwatch.GetTimestamp());
            }
            else if (Stopwatch.GetElapsedTime(since) >= ExitTimeout)
            {
                print(
                    $"agent {Name} made no progress within {ExitTimeout.TotalSeconds:0} s after the match: killed"
                    + progress.DescribeUnprocessed(Name));
                _wasKilled = true;
                _process.Kill();
                await Exited;
                return;
            }
        }
    }
}
