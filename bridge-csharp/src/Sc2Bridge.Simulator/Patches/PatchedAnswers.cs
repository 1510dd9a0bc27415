using System.Buffers;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Api;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>
/// Rewrites the finished responses of a game as a new version, which its clients do not know, might send them. The game itself
/// does not change.
/// </summary>
/// <param name="game">The game.</param>
/// <param name="seed">The version of the first match; each later match has the next one.</param>
internal sealed class PatchedAnswers(SimulatedGame game, uint seed)
{
    private readonly MessageBuffer _finished = MessageBuffer.Rent();
    private Patch _patch = new(seed);
    private uint _matches;
    private bool _plays;

    /// <summary>Answers the request if it can be answered by now.</summary>
    /// <param name="request">The request that the game has begun.</param>
    /// <param name="response">Takes the serialized Response.</param>
    /// <returns>Whether it was answered.</returns>
    public bool TryFinish(Request request, IBufferWriter<byte> response)
    {
        _finished.Clear();
        if (!game.TryFinish(_finished))
        {
            return false;
        }

        var answer = Response.Parser.ParseFrom(_finished.Written.Span);
        if (answer.CreateGame is { HasError: false } || answer.StartReplay is { HasError: false } || answer.RestartGame is not null)
        {
            _patch = new Patch(seed + _matches++);
        }

        _plays = request.RequestCase == Kind.JoinGame ? request.JoinGame.HasRace
            : request.RequestCase != Kind.StartReplay && _plays;
        var random = _patch.Random((int)answer.ResponseCase, answer.Observation?.Observation?.GameLoop ?? 0);
        new NewContent(_patch, _plays, random).AddTo(answer);
        new NewFields(_patch, random).Write(answer.ToByteArray(), response);
        return true;
    }
}
