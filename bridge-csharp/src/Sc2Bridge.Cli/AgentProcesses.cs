using System.Collections.Concurrent;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>
/// The Python agents that a session started. The bridge waits for these agents before each match, and after the last match.
/// </summary>
internal sealed class AgentProcesses : IAsyncDisposable
{
    // How long a later match of a series waits for agents that the bridge did not start.
    private static readonly TimeSpan ReturnTimeout = TimeSpan.FromSeconds(10);

    // How long an agent whose connection ended may take to exit, so that its exit code is known.
    private static readonly TimeSpan ExitPatience = TimeSpan.FromSeconds(2);

    private readonly List<AgentProcess> _agents = [];
    private readonly List<string> _problems = [];
    private readonly Dictionary<string, IReadOnlyList<string>> _tracebacks = [];
    private readonly ConcurrentDictionary<string, bool> _completed = new();
    private readonly Hub _hub;
    private readonly SessionOptions _options;
    private readonly SessionAccess _access;
    private readonly BridgeServer _server;
    private readonly Action<string> _print;
    private bool _hasMatchBegun;

    /// <summary>Makes the list of agents. <see cref="StartOnce"/> starts them.</summary>
    /// <param name="hub">The hub that the agents subscribe to.</param>
    /// <param name="options">The agents, and how to run them.</param>
    /// <param name="access">The tokens of the agents.</param>
    /// <param name="server">The server that the agents connect to.</param>
    /// <param name="print">Prints a line of the session, or a line of an agent's output.</param>
    internal AgentProcesses(
        Hub hub, SessionOptions options, SessionAccess access, BridgeServer server, Action<string> print)
    {
        (_hub, _options, _access, _print) = (hub, options, access, print);
        _server = server;
        hub.Events.SubscriberLeft += OnSubscriberLeft;
    }

    /// <summary>Starts all agents at the first call. Later calls do nothing. Each agent waits for a match.</summary>
    /// <param name="realtime">Whether the match runs in real time.</param>
    /// <exception cref="CommandException">Python cannot be started, or an agent needs shared memory, which is not available.</exception>
    internal void StartOnce(bool realtime)
    {
        if (_agents.Count > 0 || _options.Agents.Count == 0)
        {
            return;
        }

        if (_server.SharedMemoryProblem is { Length: > 0 } problem
            && _options.Agents.FirstOrDefault(agent => agent.Transport == "shm") is { } sharing)
        {
            throw new CommandException($"{sharing.Target}@shm: {problem}. Choose @grpc, @json or @proto.");
        }

        var python = PythonInterpreter.Find(_options.Python);
        var hasSharedMemory = _server.SharedMemoryAddress.Length > 0;
        foreach (var (spec, index) in _options.Agents.Select((spec, index) => (spec.ChooseTransport(hasSharedMemory), index)))
        {
            _agents.Add(AgentProcess.Start(
                python, AgentArguments.NameOf(spec, index), AgentArguments.Build(spec, index, _options, _server, realtime),
                _access.CredentialsOf(spec), _options.AgentVariables, _print));
        }
    }

    /// <summary>
    /// Waits until all started agents, and the requested number of other subscribers, have subscribed. The wait for other
    /// subscribers has a time limit only after the first match of a series. Agents that ended with the previous match are
    /// started again.
    /// </summary>
    /// <param name="options">The number of other subscribers, and the time limit for the started agents.</param>
    /// <param name="cancellation">Cancels the wait.</param>
    /// <exception cref="CommandException">
    /// An agent ended before the first match began, or did not subscribe in time.
    /// </exception>
    internal async Task WaitUntilSubscribedAsync(SessionOptions options, CancellationToken cancellation)
    {
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        try
        {
            await RestartEndedAsync();
            var subscribed = _hub.WaitForAgentsAsync(Names, options.WaitFor, giveUp.Token);
            if (options.WaitFor > 0 && !_hasMatchBegun)
            {
                _print($"--wait: the match begins when {options.WaitFor} other {(options.WaitFor == 1 ? "agent has" : "agents have")} subscribed (Ctrl-C stops the wait)");
            }

            var deadline = Task.Delay(options.AgentDeadline, giveUp.Token);
            var returnTimeout = _hasMatchBegun ? Task.Delay(ReturnTimeout, giveUp.Token) : Task.Delay(-1, giveUp.Token);
            while (true)
            {
                var first = await Task.WhenAny(
                    [subscribed, deadline, returnTimeout, .. _agents.Select(agent => (Task)agent.Exited)]);
                if (first == subscribed || cancellation.IsCancellationRequested)
                {
                    break;
                }

                if (first == deadline && FindUnsubscribed(giveUp.Token) is { } missing)
                {
                    throw new AgentStartException(
                        missing,
                        $"agent {missing} did not subscribe within {options.AgentDeadline.TotalSeconds:0.###} s: "
                        + $"{OutputHint}, or give it more time with agent-deadline in the configuration file");
                }

                if (first == returnTimeout && FindUnsubscribed(giveUp.Token) is null)
                {
                    _print(
                        $"not all subscribers returned within {ReturnTimeout.TotalSeconds:0} s: the match begins without "
                        + "them");
                    return;
                }

                deadline = first == deadline ? Task.Delay(-1, giveUp.Token) : deadline;
                returnTimeout = first == returnTimeout ? Task.Delay(ReturnTimeout, giveUp.Token) : returnTimeout;
                await _hub.Events.FlushAsync();
                await RestartEndedAsync();
            }

            await subscribed;
            _hasMatchBegun = true;
        }
        finally
        {
            _completed.Clear();
            await giveUp.CancelAsync();
        }
    }

    /// <summary>
    /// Ends the match when all started agents that play it have ended. The match continues if another agent or a bot plays
    /// it. It also continues if <c>--wait</c> waited for another agent that plays, because that agent may reconnect. Agents that only watch do not count.
    /// </summary>
    /// <param name="runner">Runs the match. Its agents have subscribed.</param>
    /// <param name="description">The match's description.</param>
    /// <param name="ended">Cancelled when the match has ended.</param>
    internal async Task EndIfAbandonedAsync(MatchRunner runner, MatchDescription description, CancellationToken ended)
    {
        var names = FindPlayerNames();
        var players = _agents.FindAll(agent => names.Exists(name => IsNameOf(agent, name)));
        var awaitsPlayer = _options.WaitFor > 0 && !names.TrueForAll(name => players.Exists(player => IsNameOf(player, name)));
        if (players.Count == 0 || awaitsPlayer || description.Players.Any(player => player.Kind == PlayerKind.Api))
        {
            return;
        }

        foreach (var player in players)
        {
            await ((Task)player.Exited).WaitAsync(ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (!ended.IsCancellationRequested && FindPlayerNames().TrueForAll(name => players.Exists(player => IsNameOf(player, name))))
        {
            runner.Abandon();
        }

        List<string> FindPlayerNames() =>
            [.. _hub.Subscribers.Where(one => one is { Side: not null, HasEnded: false }).Select(one => one.Name)];
    }

    // The name of the first agent that has not subscribed; null if all have subscribed. The hub decides, so a viewer with a similar name does not count.
    private string? FindUnsubscribed(CancellationToken giveUp) =>
        _agents.Find(agent => !_hub.WaitForAgentsAsync([agent.Name], others: 0, giveUp).IsCompletedSuccessfully)?.Name;

    // Restarts agents that have ended. Before the first match has begun, an ended agent is an error.
    private async Task RestartEndedAsync()
    {
        for (var index = 0; index < _agents.Count; index++)
        {
            var agent = _agents[index];
            if (!agent.Exited.IsCompleted)
            {
                continue;
            }

            if (!_hasMatchBegun)
            {
                throw new AgentStartException(
                    agent.Name,
                    $"agent {agent.Name} ended with exit code {agent.Exited.Result} before the match began: "
                    + OutputHint);
            }

            NoteExit(agent);
            _agents[index] = agent.StartAgain();
            await agent.DisposeAsync();
        }
    }

    /// <summary>
    /// Called after the match. Waits for each agent to exit, as long as the agent makes progress. Kills an agent that
    /// makes no progress.
    /// </summary>
    /// <param name="progress">The progress of the agents.</param>
    /// <param name="interrupted">If cancelled, progress no longer extends the wait.</param>
    internal Task WaitForExitAsync(AgentProgress progress, CancellationToken interrupted) =>
        Task.WhenAll(_agents.Select(agent => agent.WaitForExitAsync(progress, _print, interrupted)));

    /// <summary>
    /// Returns a line for each agent that failed, or left before the end of a match, in any match so far. Call this method
    /// after the agents have exited and the hub has removed their subscriptions.
    /// </summary>
    internal async Task<IReadOnlyList<string>> CollectProblemsAsync()
    {
        await _hub.Events.FlushAsync();
        _agents.ForEach(NoteExit);
        return [.. _problems.Distinct()];
    }

    /// <summary>Returns what is known about the agents after a match.</summary>
    /// <param name="left">The names of agents whose connections ended. Their processes usually exit soon.</param>
    /// <param name="ct">Ends the wait for them.</param>
    internal async Task<IReadOnlyList<AgentFacts>> CollectFactsAsync(IReadOnlyCollection<string> left, CancellationToken ct)
    {
        var exits = _agents.Where(agent => left.Any(name => IsNameOf(agent, name))).Select(agent => (Task)agent.Exited);
        await Task.WhenAny(Task.WhenAll(exits), Task.Delay(ExitPatience, ct));
        return [.. _agents.Select(agent => agent.Facts)];
    }

    /// <summary>The names under which the agents subscribe.</summary>
    internal IReadOnlyList<string> Names => [.. _agents.Select(agent => agent.Name)];

    /// <summary>The lines of each failed agent's last traceback.</summary>
    internal IEnumerable<string> Tracebacks => _tracebacks.Values.SelectMany(lines => lines);

    private static string OutputHint => Printing.IsQuiet ? "--quiet hides its lines: play the match without --quiet to see them" : "see its lines above";

    // Notes how an agent ended. The agent must have ended.
    private void NoteExit(AgentProcess agent)
    {
        if (agent.Exited.Result != 0)
        {
            var traceback = agent.Traceback();
            if (traceback.Count > 0)
            {
                _tracebacks[agent.Name] = [.. traceback.Select(line => $"[{agent.Name}] {line}")];
            }

            _problems.Add($"agent {agent.Name} failed: " + (traceback.Count > 0 ? "its traceback is at the end of the output" : OutputHint));
        }
        else if (!_completed.Keys.Any(name => IsNameOf(agent, name)))
        {
            _problems.Add($"agent {agent.Name} left before the match had ended: {OutputHint}");
        }
    }

    // An agent that reconnects gets a number after its name, if the bridge has not noticed yet that the old connection is lost.
    internal static bool IsNameOf(string agent, string name) => name == agent || name.StartsWith($"{agent}-", StringComparison.Ordinal);

    private static bool IsNameOf(AgentProcess agent, string name) => IsNameOf(agent.Name, name);

    private void OnSubscriberLeft((string Agent, bool Completed) departed)
    {
        if (departed.Completed)
        {
            _completed[departed.Agent] = true;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _hub.Events.SubscriberLeft -= OnSubscriberLeft;
        await Task.WhenAll(_agents.Select(agent => agent.DisposeAsync().AsTask()));
    }
}
