using System.ComponentModel;
using System.Diagnostics;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Cli;

/// <summary>A Python agent that the match started, as a process; its output is passed on line by line.</summary>
internal sealed class AgentProcess : IAsyncDisposable
{
    // Enough for a chain of exceptions: Python counts repeated lines instead of printing them.
    private const int KeptLines = 200;

    // How long it may show no progress after the match.
    private static readonly TimeSpan TimeToLeave = TimeSpan.FromSeconds(20);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(100);

    // The end of its standard error.
    private readonly LastLines _errors;

    private readonly ChildProcess _process;
    private readonly Func<AgentProcess> _again;

    private AgentProcess(string name, ChildProcess process, LastLines errors, Func<AgentProcess> again) =>
        (Name, _process, _errors, _again) = (name, process, errors, again);

    /// <summary>The name in logs and tables.</summary>
    internal string Name { get; }

    /// <summary>Completes when the process has ended, with its exit code.</summary>
    internal Task<int> Exited => _process.Exited;

    /// <summary>Starts the agent.</summary>
    /// <param name="python">The interpreter.</param>
    /// <param name="name">Its name in logs and tables.</param>
    /// <param name="arguments">What comes after <c>python -m sc2bridge run</c>.</param>
    /// <param name="credentials">Let it in.</param>
    /// <param name="passed">Variables of this program's that it gets beside the usual ones.</param>
    /// <param name="print">Takes each line of its output.</param>
    /// <exception cref="CommandException">The interpreter cannot be started.</exception>
    internal static AgentProcess Start(
        string python, string name, IReadOnlyList<string> arguments, AgentCredentials credentials,
        IReadOnlyList<string> passed, Action<string> print)
    {
        var start = ChildEnvironment.Start(ChildKind.Agent, python, ["-m", "sc2bridge", "run", .. arguments], passed);
        start.Environment["PYTHONPATH"] = PythonInterpreter.PathFromHere;
        start.Environment["PYTHONUNBUFFERED"] = "1";

        // Not arguments, which all programs of the machine could read.
        start.Environment["SC2BRIDGE_TOKEN"] = credentials.Token;
        start.Environment["SC2BRIDGE_FINGERPRINT"] = credentials.Fingerprint;

        // A client accepts a CA or a fingerprint, not both.
        start.Environment.Remove("SC2BRIDGE_CA");
        var errors = new LastLines(KeptLines);
        try
        {
            var process = ChildProcess.Start(start, line => print(Named(line)), line =>
            {
                errors.Add(Named(line));
                print(Named(line));
            });
            process.Input.Close();
            return new AgentProcess(
                name, process, errors, () => Start(python, name, arguments, credentials, passed, print));
        }
        catch (Win32Exception error)
        {
            throw new CommandException(
                $"cannot start Python as '{python}' ({error.Message}): name an interpreter with --python", error);
        }

        string Named(string line) => $"[{name}] {line}";
    }

    /// <summary>The end of its standard error from a traceback on, as it was printed. Empty without a traceback.</summary>
    internal IReadOnlyList<string> Traceback() =>
        [.. _errors.Lines.SkipWhile(line => !line.Contains("Traceback (most recent call last):", StringComparison.Ordinal))];

    /// <summary>Another process of the same agent.</summary>
    /// <exception cref="CommandException">The interpreter cannot be started any more.</exception>
    internal AgentProcess StartAgain() => _again();

    /// <summary>Ends the process and its children, and waits for that.</summary>
    public ValueTask DisposeAsync() => _process.DisposeAsync();

    /// <summary>
    /// Waits for it to leave after the match has ended, as long as it makes progress with what it has not received. If it
    /// stays, it is killed.
    /// </summary>
    /// <param name="progress">How far it is.</param>
    /// <param name="print">Gets a line if it is killed.</param>
    /// <param name="interrupted">The person no longer waits for an agent that makes progress.</param>
    internal async Task WaitUntilLeftAsync(AgentProgress progress, Action<string> print, CancellationToken interrupted)
    {
        var (mark, since) = (progress.Mark(Name), Stopwatch.GetTimestamp());
        while (await Task.WhenAny(Exited, Task.Delay(Look, CancellationToken.None)) != Exited)
        {
            if (progress.Mark(Name) is var now && now != mark && !interrupted.IsCancellationRequested)
            {
                (mark, since) = (now, Stopwatch.GetTimestamp());
            }
            else if (Stopwatch.GetElapsedTime(since) >= TimeToLeave)
            {
                print(
                    $"agent {Name} has got no further in {TimeToLeave.TotalSeconds:0} s after the match: killed"
                    + progress.Unread(Name));
                _process.Kill();
                await Exited;
                return;
            }
        }
    }
}
