using System.Collections.Concurrent;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>
/// The Python agents that a session started: awaited before the first step of each match, and after the last one's end.
/// </summary>
internal sealed class AgentProcesses : IAsyncDisposable
{
    // How long a later match of a series waits for agents that the bridge did not start.
    private static readonly TimeSpan TimeToReturn = TimeSpan.FromSeconds(10);

    private readonly List<AgentProcess> _agents = [];
    private readonly List<string> _problems = [];
    private readonly Dictionary<string, IReadOnlyList<string>> _tracebacks = [];
    private readonly ConcurrentDictionary<string, bool> _completed = new();
    private readonly Hub _hub;
    private readonly SessionOptions _options;
    private readonly SessionAccess _access;
    private readonly BridgeServer _server;
    private readonly Action<string> _print;
    private bool _haveBegun;

    /// <summary>None yet.</summary>
    /// <param name="hub">Where they subscribe.</param>
    /// <param name="options">Which, and how they are run.</param>
    /// <param name="access">Their tokens.</param>
    /// <param name="server">Where they connect.</param>
    /// <param name="print">Gets lines for people, theirs too.</param>
    internal AgentProcesses(
        Hub hub, SessionOptions options, SessionAccess access, BridgeServer server, Action<string> print)
    {
        (_hub, _options, _access, _print) = (hub, options, access, print);
        _server = server;
        hub.Events.SubscriberLeft += Depart;
    }

    /// <summary>Starts them, where they are not there yet; they wait for a match by themselves.</summary>
    /// <param name="realtime">Whether the match goes by the game's clock.</param>
    /// <exception cref="CommandException">There is no Python.</exception>
    internal void Start(bool realtime)
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
        var isShared = _server.SharedMemoryAddress.Length > 0;
        foreach (var (spec, index) in _options.Agents.Select((spec, index) => (spec.WithTransport(isShared), index)))
        {
            _agents.Add(AgentProcess.Start(
                python, AgentArguments.NameOf(spec, index), AgentArguments.Of(spec, index, _options, _server, realtime),
                _access.CredentialsOf(spec), _options.AgentVariables, _print));
        }
    }

    /// <summary>
    /// Waits until all of them, and as many others as were asked for, have subscribed; for the others, whom somebody
    /// starts, however long it takes, but in a later match of a series. One of them that has ended with the match before
    /// is started again.
    /// </summary>
    /// <param name="options">How many others, and how long these may take.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="CommandException">
    /// One ended before it had subscribed for the first time, or took too long.
    /// </exception>
    internal async Task WaitUntilSubscribedAsync(SessionOptions options, CancellationToken cancellation)
    {
        using var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        try
        {
            await ReviveAsync();
            var subscribed = _hub.WaitForAgentsAsync(Names, options.WaitFor, giveUp.Token);
            var late = Task.Delay(options.AgentDeadline, giveUp.Token);
            var returned = _haveBegun ? Task.Delay(TimeToReturn, giveUp.Token) : Task.Delay(-1, giveUp.Token);
            while (true)
            {
                var first = await Task.WhenAny(
                    [subscribed, late, returned, .. _agents.Select(agent => (Task)agent.Exited)]);
                if (first == subscribed || cancellation.IsCancellationRequested)
                {
                    break;
                }

                if (first == late && Missing(giveUp.Token) is { } missing)
                {
                    throw new CommandException(
                        $"agent {missing} did not subscribe within {options.AgentDeadline.TotalSeconds:0.###} s: "
                        + $"{WhereLinesAre}, or give it more time by agent-deadline in the configuration file");
                }

                if (first == returned && Missing(giveUp.Token) is null)
                {
                    _print(
                        $"not all subscribers came back in {TimeToReturn.TotalSeconds:0} s: the match begins without "
                        + "them");
                    return;
                }

                late = first == late ? Task.Delay(-1, giveUp.Token) : late;
                returned = first == returned ? Task.Delay(TimeToReturn, giveUp.Token) : returned;
                await _hub.Events.FlushAsync();
                await ReviveAsync();
            }

            await subscribed;
            _haveBegun = true;
        }
        finally
        {
            _completed.Clear();
            await giveUp.CancelAsync();
        }
    }

    /// <summary>
    /// Ends the match when all started agents that play it have ended. The match goes on if another agent or a bot plays
    /// it, or if another that plays it was awaited (<c>--wait</c>), because it may come back. Agents that only watch do not count.
    /// </summary>
    /// <param name="runner">Runs the match. Its agents have subscribed.</param>
    /// <param name="description">The match's description.</param>
    /// <param name="ended">Cancelled when the match has ended.</param>
    internal async Task EndAbandonedAsync(MatchRunner runner, MatchDescription description, CancellationToken ended)
    {
        var names = Players();
        var players = _agents.FindAll(agent => names.Exists(name => IsOf(agent, name)));
        var awaitsPlayer = _options.WaitFor > 0 && !names.TrueForAll(name => players.Exists(player => IsOf(player, name)));
        if (players.Count == 0 || awaitsPlayer || description.Players.Any(player => player.Kind == PlayerKind.Api))
        {
            return;
        }

        foreach (var player in players)
        {
            await ((Task)player.Exited).WaitAsync(ended).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        if (!ended.IsCancellationRequested && Players().TrueForAll(name => players.Exists(player => IsOf(player, name))))
        {
            runner.Abandon();
        }

        List<string> Players() =>
            [.. _hub.Subscribers.Where(one => one is { Side: not null, HasEnded: false }).Select(one => one.Name)];
    }

    // The first of them that has not subscribed; null if all have. By the hub's own rule: a viewer with a similar name does not count.
    private string? Missing(CancellationToken giveUp) =>
        _agents.Find(agent => !_hub.WaitForAgentsAsync([agent.Name], others: 0, giveUp).IsCompletedSuccessfully)?.Name;

    // Those that have ended are started again, where they had been there before.
    private async Task ReviveAsync()
    {
        for (var index = 0; index < _agents.Count; index++)
        {
            var agent = _agents[index];
            if (!agent.Exited.IsCompleted)
            {
                continue;
            }

            if (!_haveBegun)
            {
                throw new CommandException(
                    $"agent {agent.Name} ended with exit code {agent.Exited.Result} before the match began: "
                    + WhereLinesAre);
            }

            Judge(agent);
            _agents[index] = agent.StartAgain();
            await agent.DisposeAsync();
        }
    }

    /// <summary>
    /// Waits for them to leave after the match has ended, as long as they make progress with what they have not
    /// received; those that stay are killed.
    /// </summary>
    /// <param name="progress">How far they are.</param>
    /// <param name="interrupted">The person no longer waits for agents that make progress.</param>
    internal Task WaitUntilLeftAsync(AgentProgress progress, CancellationToken interrupted) =>
        Task.WhenAll(_agents.Select(agent => agent.WaitUntilLeftAsync(progress, _print, interrupted)));

    /// <summary>
    /// Which of them failed, or went before a match had ended, in this match or one before: a line for each. To be asked
    /// for when they have left, and the hub has noticed.
    /// </summary>
    internal async Task<IReadOnlyList<string>> ProblemsAsync()
    {
        await _hub.Events.FlushAsync();
        _agents.ForEach(Judge);
        return [.. _problems.Distinct()];
    }

    /// <summary>The names that they subscribe under.</summary>
    internal IReadOnlyList<string> Names => [.. _agents.Select(agent => agent.Name)];

    /// <summary>The lines of each failed agent's last traceback.</summary>
    internal IEnumerable<string> Tracebacks => _tracebacks.Values.SelectMany(lines => lines);

    private static string WhereLinesAre => Printing.IsQuiet ? "its lines are hidden by --quiet, which jobs always have" : "see its lines above";

    // One that has ended.
    private void Judge(AgentProcess agent)
    {
        if (agent.Exited.Result != 0)
        {
            var traceback = agent.Traceback();
            if (traceback.Count > 0)
            {
                _tracebacks[agent.Name] = traceback;
            }

            _problems.Add($"agent {agent.Name} failed: " + (traceback.Count > 0 ? "its traceback is at the end of the output" : WhereLinesAre));
        }
        else if (!_completed.Keys.Any(heard => IsOf(agent, heard)))
        {
            _problems.Add($"agent {agent.Name} left before the match had ended: {WhereLinesAre}");
        }
    }

    // An agent that lost its connection may be back, with a number after its name, before the bridge has noticed.
    private static bool IsOf(AgentProcess agent, string name) =>
        name == agent.Name || name.StartsWith($"{agent.Name}-", StringComparison.Ordinal);

    private void Depart((string Agent, bool Completed) departed)
    {
        if (departed.Completed)
        {
            _completed[departed.Agent] = true;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _hub.Events.SubscriberLeft -= Depart;
        await Task.WhenAll(_agents.Select(agent => agent.DisposeAsync().AsTask()));
    }
}
