using System.Buffers;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>
/// The games of a match's one or two clients in one process. Two games play the same world, as in two processes, and this class passes
/// their messages on. Not thread-safe.
/// </summary>
public sealed class MatchGames
{
    private readonly SimulatedGame[] _games;
    private readonly ArrayBufferWriter<byte>[] _answers;
    private PeerLink? _connected;

    /// <summary>Creates games in the state <c>launched</c>.</summary>
    /// <param name="clients">1 or 2.</param>
    public MatchGames(int clients)
    {
        _games = [.. Enumerable.Range(0, clients).Select(_ => new SimulatedGame(new SimulatorOptions()))];
        _answers = [.. _games.Select(_ => new ArrayBufferWriter<byte>())];
    }

    /// <summary>Sends a request of one client that need not wait.</summary>
    /// <param name="client">The client's index.</param>
    /// <param name="request">The request.</param>
    /// <returns>The serialized Response. It is valid until the client's next request.</returns>
    public ReadOnlySpan<byte> Handle(int client, Request request)
    {
        _answers[client].ResetWrittenCount();
        _games[client].Handle(request, _answers[client]);
        return _answers[client].WrittenSpan;
    }

    /// <summary>Sends a request of each client at the same time. Each request to join or to step waits for the other client.</summary>
    /// <param name="requests">A request for each client.</param>
    /// <returns>The responses.</returns>
    /// <exception cref="InvalidOperationException">The games wait for more than each other.</exception>
    public Response[] HandleAll(Func<int, Request> requests)
    {
        for (var client = 0; client < _games.Length; client++)
        {
            _answers[client].ResetWrittenCount();
            _games[client].Begin(requests(client));
        }

        PassOn();
        bool[] finished = [.. _games.Select((game, client) => game.TryFinish(_answers[client]))];
        Response[] responses = [.. _answers.Select(answer => Response.Parser.ParseFrom(answer.WrittenSpan))];
        var refusals = responses.SelectMany(response => response.Error.Append(response.JoinGame?.ErrorDetails ?? ""));
        return Array.TrueForAll(finished, each => each)
            ? responses
            : throw new InvalidOperationException($"a client waits, and the game refused the other: {string.Join("; ", refusals)}");
    }

    private void PassOn()
    {
        if (_games.Length == 1)
        {
            return;
        }

        PeerLink[] links = [.. _games.Select(game => game.Link).OfType<PeerLink>()];
        if (links.Length < _games.Length)
        {
            return; // A request was refused.
        }

        if (!ReferenceEquals(_connected, links[0]))
        {
            _connected = links[0];
            Array.ForEach(links, link => link.Connected());
        }

        for (var isMoved = true; isMoved;)
        {
            isMoved = false;
            for (var side = 0; side < links.Length; side++)
            {
                foreach (var message in links[side].DrainOutgoing())
                {
                    links[1 - side].Received(message);
                    isMoved = true;
                }
            }

            Array.ForEach(_games, game => game.Advance());
        }
    }
}
