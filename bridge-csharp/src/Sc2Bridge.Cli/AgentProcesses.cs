using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>The Python agents that a match started: awaited before its first step, and after its end.</summary>
internal sealed class AgentProcesses : IDisposable
{
    private static readonly TimeSpan TimeToLeave = TimeSpan.FromSeconds(20);
    private readonly List<AgentProcess> _agents = [];
    private readonly Action<string> _print;

    private AgentProcesses(Action<string> print) => _print = print;

    /// <summary>Starts them; they wait for the match by themselves.</summary>
    internal static AgentProcesses Start(
        SessionOptions options, bool realtime, string grpcAddress, string webAddress, Action<string> print)
    {
        var python = options.Agents.Count > 0 ? PythonInterpreter.Find(options.Python) : "";
        var agents = new AgentProcesses(print);
        foreach (var (spec, index) in options.Agents.Select((spec, index) => (spec, index)))
        {
            var kind = spec.Target[(spec.Target.IndexOf(':', StringComparison.Ordinal) + 1)..].ToLowerInvariant();
            var name = $"{kind}-{index + 1}-{spec.Way}";
            List<string> arguments = [spec.Target, "--name", name, "--policy", options.Policy, "--ignore-interrupt"];
            arguments.AddRange(["--content", spec.Content, "--compression", spec.Compression]);
            arguments.AddRange(spec.Transport == "grpc"
                ? ["--bridge", grpcAddress.StartsWith("unix:", StringComparison.Ordinal)
                    ? $"grpc+{grpcAddress}" : $"grpc://{grpcAddress}"]
                : ["--bridge", $"ws://{webAddress}/v1", "--encoding", spec.Transport]);
            if (options.Policy == "every")
            {
                arguments.AddRange(["--when-full", realtime ? "end" : "pause"]);
            }

            agents._agents.Add(AgentProcess.Start(python, name, arguments, print));
        }

        return agents;
    }

    /// <summary>
    /// Waits until all of them, and as many others as were asked for, have subscribed; for the others, whom somebody
    /// starts, however long it takes.
    /// </summary>
    /// <param name="hub">Where they subscribe.</param>
    /// <param name="options">How many others, and how long these may take.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="CommandException">One ended before it had subscribed, or took too long.</exception>
    internal async Task WaitUntilSubscribedAsync(Hub hub, SessionOptions options, CancellationToken cancellation)
    {
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        var subscribed = hub.WaitForSubscribersAsync(_agents.Count + options.WaitFor, giveUp.Token);
        var ended = _agents.ConvertAll(agent => (Task)agent.Exited);
        var late = Task.Delay(options.AgentDeadline, giveUp.Token);
        var first = await Task.WhenAny([subscribed, late, .. ended]);
        if (first == late && !cancellation.IsCancellationRequested)
        {
            var there = hub.Subscribers.Select(subscriber => subscriber.Name).ToHashSet();
            if (_agents.Find(agent => !there.Contains(agent.Name)) is { } missing)
            {
                await giveUp.CancelAsync();
                throw new CommandException(
                    $"agent {missing.Name} did not subscribe within {options.AgentDeadline.TotalSeconds:0.###} s: see "
                    + "its lines above, or give it more time with --agent-deadline");
            }

            first = await Task.WhenAny([subscribed, .. ended]);
        }

        if (first != subscribed)
        {
            await giveUp.CancelAsync();
            cancellation.ThrowIfCancellationRequested();
            var agent = _agents[ended.IndexOf(first)];
            throw new CommandException(
                $"agent {agent.Name} ended with exit code {await agent.Exited} before the match began: "
                + "see its lines above");
        }

        await subscribed;
    }

    /// <summary>Waits for them to leave after the match has ended; those that stay are killed.</summary>
    /// <returns>The names of those that failed.</returns>
    internal async Task<IReadOnlyList<string>> WaitUntilLeftAsync()
    {
        var all = Task.WhenAll(_agents.Select(agent => agent.Exited));
        if (await Task.WhenAny(all, Task.Delay(TimeToLeave)) != all)
        {
            foreach (var agent in _agents.Where(agent => !agent.Exited.IsCompleted))
            {
                _print(
                    $"agent {agent.Name} did not leave in {TimeToLeave.TotalSeconds:0} s after the match: killed");
                agent.Kill();
            }
        }

        await all;
        return [.. _agents.Where(agent => agent.Exited.Result != 0).Select(agent => agent.Name)];
    }

    /// <inheritdoc/>
    public void Dispose() => _agents.ForEach(agent => agent.Dispose());
}
