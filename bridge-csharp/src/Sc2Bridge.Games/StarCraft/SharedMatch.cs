using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The shared state of clients that play one match with one game process each: the ports through which their games find each
/// other, the game's version, and since when each client waits for its game. Thread-safe.
/// </summary>
/// <remarks>
/// The games synchronise their steps themselves: each game plays a loop when all clients have requested that loop. So the
/// bridge need not make one client wait for another client, even if their steps have different lengths.
/// </remarks>
public sealed class SharedMatch
{
    // A little longer than the simulated game searches for the other games, which is five minutes.
    private static readonly TimeSpan PortFailurePatience = TimeSpan.FromMinutes(6);

    private readonly Lock _lock = new();
    private readonly GameClient?[] _clients;
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Func<int, int[]> _findPorts;
    private TaskCompletionSource _allPortsFailed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ResponsePing? _version;
    private int[]? _ports;
    private int _portFailures;

    /// <summary>A match of several clients on this machine.</summary>
    /// <param name="sides">The number of clients.</param>
    public SharedMatch(int sides)
        : this(sides, FreePorts.Find)
    {
    }

    internal SharedMatch(int sides, Func<int, int[]> findPorts) =>
        (_clients, _findPorts) = (new GameClient?[sides], findPorts);

    /// <summary>
    /// Sets the ports through which a client's game finds the other games. All clients use the same ports. The ports are
    /// chosen when the first client joins. At that time all games run, so other programs have little time to take a port.
    /// </summary>
    /// <param name="join">The client's request.</param>
    public void SetPorts(RequestJoinGame join)
    {
        ArgumentNullException.ThrowIfNull(join);
        PortSet[] pairs;
        lock (_lock)
        {
            // Two ports for each client.
            _ports ??= _findPorts(2 * _clients.Length);
            pairs = [.. _ports.Chunk(2).Select(pair => new PortSet { GamePort = pair[0], BasePort = pair[1] })];
        }

        join.ServerPorts = pairs[0];
        join.ClientPorts.Clear();
        join.ClientPorts.Add(pairs[1..]);
    }

    /// <summary>
    /// Reports that a client's game did not find the other games, for example because another program has taken a port.
    /// Waits until this was reported for all games. The games may then join again through other ports.
    /// </summary>
    /// <param name="ct">Cancels the wait.</param>
    /// <returns>False if this was not reported for all games in time.</returns>
    internal async Task<bool> ReportPortFailureAsync(CancellationToken ct)
    {
        TaskCompletionSource all;
        lock (_lock)
        {
            all = _allPortsFailed;
            if (++_portFailures == _clients.Length)
            {
                (_ports, _portFailures) = (null, 0);
                _allPortsFailed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                all.SetResult();
            }
        }

        return await Task.WhenAny(all.Task, Task.Delay(PortFailurePatience, ct)) == all.Task;
    }

    /// <summary>Reports that a client's game runs, with its version. Waits until all games run.</summary>
    /// <param name="side">The client's index, from 0.</param>
    /// <param name="client">The client.</param>
    /// <param name="version">The game's answer to a ping.</param>
    /// <param name="ct">Cancels the wait.</param>
    /// <exception cref="GameException">The games have different versions.</exception>
    public Task EnterAsync(int side, GameClient client, ResponsePing version, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(version);
        lock (_lock)
        {
            _clients[side] = client;
            client.OthersWaitSinceNs = () => OthersWaitSinceNs(side);
            _version ??= version;
            if (_version.GameVersion != version.GameVersion || _version.DataVersion != version.DataVersion)
            {
                _entered.TrySetException(new GameException(
                    $"The games have different versions ({_version.GameVersion} and {version.GameVersion}), and only "
                    + "equal versions can play together. Start both games from one installation."));
            }
            else if (_clients.All(entered => entered is not null))
            {
                _entered.TrySetResult();
            }
        }

        return _entered.Task.WaitAsync(ct);
    }

    private long OthersWaitSinceNs(int side)
    {
        lock (_lock)
        {
            return _clients.Where((_, other) => other != side).Max(client => client?.WaitingSinceNs ?? long.MaxValue);
        }
    }
}

/// <summary>A client's index in its match, and the state that it shares with other clients.</summary>
/// <param name="Side">The client's index, from 0. The first client creates the match.</param>
/// <param name="Shared">The state that this client shares with the other clients; null for a single client.</param>
public sealed record PlayerSlot(int Side, SharedMatch? Shared)
{
    /// <summary>The slot of a single client.</summary>
    public static PlayerSlot Alone { get; } = new(0, null);

    /// <summary>Reports that the client's game runs. Waits until all games run.</summary>
    /// <exception cref="GameException">See <see cref="SharedMatch.EnterAsync"/>.</exception>
    public Task EnterAsync(GameClient client, ResponsePing version, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(client);
        client.OthersWaitSinceNs = null;
        return Shared?.EnterAsync(Side, client, version, ct) ?? Task.CompletedTask;
    }
}
