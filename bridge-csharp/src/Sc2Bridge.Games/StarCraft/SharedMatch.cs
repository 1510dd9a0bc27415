using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// What the clients have in common that play one match on a game process each: the ports by which their games find each
/// other, the game's version, and which of them waits for its game. Thread-safe.
/// </summary>
/// <remarks>
/// The games keep their steps together by themselves: each plays a loop when both clients have asked for it. So no
/// client is made to wait for another here, whatever the sizes of their steps.
/// </remarks>
public sealed class SharedMatch
{
    // The simulated game looks for the others for five minutes.
    private static readonly TimeSpan RefusalPatience = TimeSpan.FromMinutes(6);

    private readonly Lock _lock = new();
    private readonly GameClient?[] _clients;
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Func<int, int[]> _findPorts;
    private TaskCompletionSource _allRefused = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ResponsePing? _version;
    private int[]? _ports;
    private int _refusals;

    /// <summary>A match of so many clients on this machine.</summary>
    /// <param name="sides">How many.</param>
    public SharedMatch(int sides)
        : this(sides, FreePorts.Find)
    {
    }

    internal SharedMatch(int sides, Func<int, int[]> findPorts) =>
        (_clients, _findPorts) = (new GameClient?[sides], findPorts);

    /// <summary>
    /// Says over which ports a client's game finds the others; the same for all of them. They are chosen for the first
    /// client that joins, when all games run, so that no other program has long to take one.
    /// </summary>
    /// <param name="join">The client's.</param>
    public void SetPorts(RequestJoinGame join)
    {
        ArgumentNullException.ThrowIfNull(join);
        PortSet[] pairs;
        lock (_lock)
        {
            // Two for each client.
            _ports ??= _findPorts(2 * _clients.Length);
            pairs = [.. _ports.Chunk(2).Select(pair => new PortSet { GamePort = pair[0], BasePort = pair[1] })];
        }

        join.ServerPorts = pairs[0];
        join.ClientPorts.Clear();
        join.ClientPorts.Add(pairs[1..]);
    }

    /// <summary>
    /// A client's game did not find the others, as when another program has taken a port: waits until this is so for all.
    /// They may then join again, over other ports.
    /// </summary>
    /// <param name="ct">Gives up.</param>
    /// <returns>False if another client's game has not refused in time.</returns>
    internal async Task<bool> ChangePortsAsync(CancellationToken ct)
    {
        TaskCompletionSource all;
        lock (_lock)
        {
            all = _allRefused;
            if (++_refusals == _clients.Length)
            {
                (_ports, _refusals) = (null, 0);
                _allRefused = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                all.SetResult();
            }
        }

        return await Task.WhenAny(all.Task, Task.Delay(RefusalPatience, ct)) == all.Task;
    }

    /// <summary>A client has its game, and knows the version: waits until all have.</summary>
    /// <param name="side">Counts the clients from 0.</param>
    /// <param name="client">The client.</param>
    /// <param name="version">The game's answer to its ping.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="GameException">Another's game is of another version.</exception>
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
                    $"The games are of different versions ({_version.GameVersion} and {version.GameVersion}): only "
                    + "the same play together. Start both from one installation."));
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

/// <summary>The place of a client in its match.</summary>
/// <param name="Side">Counts the match's clients from 0; the first has the game created.</param>
/// <param name="Shared">What it has in common with the others; null where it plays, or observes, alone.</param>
public sealed record PlayerSlot(int Side, SharedMatch? Shared)
{
    /// <summary>Of who is alone.</summary>
    public static PlayerSlot Alone { get; } = new(0, null);

    /// <summary>The client has its game: waits until all have theirs.</summary>
    /// <exception cref="GameException">See <see cref="SharedMatch.EnterAsync"/>.</exception>
    public Task EnterAsync(GameClient client, ResponsePing version, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(client);
        client.OthersWaitSinceNs = null;
        return Shared?.EnterAsync(Side, client, version, ct) ?? Task.CompletedTask;
    }
}
