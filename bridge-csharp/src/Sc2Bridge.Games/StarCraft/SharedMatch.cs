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
    private readonly Lock _lock = new();
    private readonly int[] _ports;
    private readonly GameClient?[] _clients;
    private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ResponsePing? _version;

    private SharedMatch(int sides, int[] ports)
    {
        _clients = new GameClient?[sides];
        _ports = ports;
    }

    /// <summary>A match of so many clients on this machine, with ports that are free now.</summary>
    /// <param name="sides">How many.</param>
    public static SharedMatch OnFreePorts(int sides) => new(sides, FreePorts.Find(2 * sides)); // Two for each client.

    /// <summary>Says over which ports a client's game finds the others; the same for all of them.</summary>
    /// <param name="join">The client's.</param>
    public void SetPorts(RequestJoinGame join)
    {
        ArgumentNullException.ThrowIfNull(join);
        join.ServerPorts = Pair(0);
        join.ClientPorts.Clear();
        join.ClientPorts.Add(Enumerable.Range(1, _clients.Length - 1).Select(Pair));
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

    /// <summary>See <see cref="GameClientOptions.OthersWaitSinceNs"/>.</summary>
    /// <param name="side">Of whom the others are asked about.</param>
    public long OthersWaitSinceNs(int side)
    {
        lock (_lock)
        {
            return _clients.Where((_, other) => other != side).Max(client => client?.WaitingSinceNs ?? long.MaxValue);
        }
    }

    private PortSet Pair(int number) => new() { GamePort = _ports[2 * number], BasePort = _ports[(2 * number) + 1] };
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
    public Task EnterAsync(GameClient client, ResponsePing version, CancellationToken ct) =>
        Shared?.EnterAsync(Side, client, version, ct) ?? Task.CompletedTask;

    /// <summary>How the client's connection is treated: a game that waits for another's client does not hang.</summary>
    public GameClientOptions Apply(GameClientOptions options) => Shared is null
        ? options
        : options with { OthersWaitSinceNs = () => Shared.OthersWaitSinceNs(Side) };
}
