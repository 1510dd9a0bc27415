using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>
/// Rewrites the finished responses of a game as a new, unknown version might send them. The game itself
/// does not change.
/// </summary>
/// <param name="game">The game.</param>
/// <param name="seed">The version of the first match or replay. Each later match has the next version.</param>
internal sealed class PatchedAnswers(SimulatedGame game, uint seed)
{
    private readonly MessageBuffer _finished = MessageBuffer.Rent();
    private Patch _patch = new(seed);
    private uint _matches;
    private bool _plays;

    /// <summary>Answers the current request if that is possible now.</summary>
    /// <param name="request">The request that the game has begun.</param>
    /// <param name="response">Receives the serialized Response.</param>
    /// <returns>Whether it was answered.</returns>
    public bool TryFinish(Request request, IBufferWriter<byte> response)
    {
        _finished.Clear();
        if (!game.TryFinish(_finished))
        {
            return false;
        }

        var answer = Response.Parser.ParseFrom(_finished.Written.Span);
        // Data, game info and observations come only after this response.
        var joined = answer.JoinGame is { HasError: false } || answer.StartReplay is { HasError: false };
        _plays = joined ? request.JoinGame is { HasRace: true } : _plays;
        if (joined || answer.RestartGame is { HasError: false })
        {
            _patch = new Patch(seed + _matches++);
        }

        var (kind, loop) = ((int)answer.ResponseCase, answer.Observation?.Observation?.GameLoop ?? 0);
        new NewContent(_patch, _plays, _patch.Random(kind, loop)).AddTo(answer);
        new NewFields(_patch, _patch.Random(kind + 128, loop)).Write(answer.ToByteArray(), response);
        return true;
    }
}
