using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>A Python agent that the match started, as a process; its output is passed on line by line.</summary>
internal sealed class AgentProcess : IDisposable
{
    // How long the last lines of a process that has ended may take.
    private static readonly TimeSpan OutputDrainTime = TimeSpan.FromSeconds(2);

    // Enough for a chain of exceptions: Python counts repeated lines instead of printing them.
    private const int MostKept = 200;
    private const int LongestKept = 1000;

    // The end of its standard error.
    private readonly ConcurrentQueue<string> _errors = new();

    private readonly Process _process;
    private readonly ChildProcessGuard _guard;
    private readonly Action<string> _print;
    private readonly Func<AgentProcess> _again;

    private AgentProcess(string name, Process process, Action<string> print, Func<AgentProcess> again)
    {
        Name = name;
        _process = process;
        _guard = new ChildProcessGuard(process);
        _print = print;
        _again = again;
    }

    /// <summary>The name in logs and tables.</summary>
    internal string Name { get; }

    /// <summary>Completes when the process has ended, with its exit code.</summary>
    internal Task<int> Exited { get; private set; } = Task.FromResult(0);

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
        var start = new ProcessStartInfo(python, ["-m", "sc2bridge", "run", .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        };
        AgentEnvironment.Limit(start.Environment, passed);

        // An agent's module stands where the match was started from.
        start.Environment["PYTHONPATH"] = string.Join(
            Path.PathSeparator,
            new[] { Directory.GetCurrentDirectory(), Environment.GetEnvironmentVariable("PYTHONPATH") }
                .Where(part => !string.IsNullOrEmpty(part)));
        start.Environment["PYTHONUNBUFFERED"] = "1";

        // Not arguments, which all programs of the machine could read.
        start.Environment["SC2BRIDGE_TOKEN"] = credentials.Token;
        start.Environment["SC2BRIDGE_FINGERPRINT"] = credentials.Fingerprint;

        // A client accepts a CA or a fingerprint, not both.
        start.Environment.Remove("SC2BRIDGE_CA");
        Process process;
        try
        {
            process = Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception error)
        {
            throw new CommandException(
                $"cannot start Python as '{python}' ({error.Message}): name an interpreter with --python", error);
        }

        process.StandardInput.Close();
        var agent = new AgentProcess(
            name, process, print, () => Start(python, name, arguments, credentials, passed, print));
        agent.Exited = agent.FollowAsync();
        return agent;
    }

    /// <summary>The end of its standard error from a traceback on, as it was printed. Empty without a traceback.</summary>
    internal IReadOnlyList<string> Traceback() =>
        [.. _errors.SkipWhile(line => !line.Contains("Traceback (most recent call last):", StringComparison.Ordinal))];

    /// <summary>Another process of the same agent.</summary>
    /// <exception cref="CommandException">The interpreter cannot be started any more.</exception>
    internal AgentProcess StartAgain() => _again();

    /// <summary>Ends the process where it has not ended by itself.</summary>
    internal void Kill() => _guard.Kill();

    /// <inheritdoc/>
    public void Dispose()
    {
        _guard.Dispose();
        Kill();
        _process.Dispose();
    }

    private async Task<int> FollowAsync()
    {
        var said = Task.WhenAll(
            PassOnAsync(_process.StandardOutput, _print), PassOnAsync(_process.StandardError, KeepAndPrint));
        await _process.WaitForExitAsync();

        // What it started itself, and left behind, may hold its output open for ever.
        await Task.WhenAny(said, Task.Delay(OutputDrainTime));
        return _process.ExitCode;
    }

    private async Task PassOnAsync(StreamReader reader, Action<string> print)
    {
        while (await reader.ReadLineAsync() is { } line)
        {
            print($"[{Name}] {line}");
        }
    }

    private void KeepAndPrint(string line)
    {
        _errors.Enqueue(line[..Math.Min(line.Length, LongestKept)]);
        if (_errors.Count > MostKept)
        {
            _errors.TryDequeue(out _);
        }

        _print(line);
    }
}
