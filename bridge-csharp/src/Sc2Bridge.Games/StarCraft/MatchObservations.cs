using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Makes frames from the game's observations, and detects from the observations how the match ends.</summary>
/// <param name="match">The match's name for the frames.</param>
/// <param name="perspective">The client's perspective.</param>
internal sealed class MatchObservations(string match, uint perspective)
{
    private uint _gameLoop;

    /// <summary>The game loop of the newest observation. Any thread may read it.</summary>
    public uint GameLoop => Volatile.Read(ref _gameLoop);

    /// <summary>The step of the next observation.</summary>
    public ulong NextStep { get; set; }

    /// <summary>The step of the newest observation; 0 before the first observation.</summary>
    public ulong Step => NextStep == 0 ? 0 : NextStep - 1;

    /// <summary>Whether the game has reported that the match is over, with or without results.</summary>
    public bool HasEnded { get; set; }

    /// <summary>The results; empty until the game reports them.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private set; } = [];

    /// <summary>Whether the match's end is fully known: the results are known, or the match has reached its last possible loop.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>Whether the newest answer was the stub, a placeholder that the game may send as its last observation.</summary>
    public bool IsStub { get; private set; }

    /// <summary>Reads the game's answer to a request for an observation.</summary>
    /// <param name="answer">The answer, whose buffer the frame takes over. If there is no frame, the caller still owns the buffer.</param>
    /// <returns>
    /// The frame; null if the game refused, sent its stub, or repeated the last loop after the end.
    /// </returns>
    /// <exception cref="GameException">The answer is not an observation.</exception>
    public ObservationFrame? Read(in RawResponse answer)
    {
        if (answer.Refused)
        {
            return null;
        }

        ObservationFacts facts;
        try
        {
            facts = ObservationFacts.Read(answer.Body);
            Results = facts.HasPlayerResult ? GameEnding.Results(answer.Body) : Results;
        }
        catch (Exception malformed) when (malformed is MalformedMessageException or InvalidProtocolBufferException)
        {
            throw new GameException(
                $"The game's observation is not a ResponseObservation: {malformed.Message}", malformed);
        }

        IsStub = facts.HasObservation && facts.GameLoop == GameEnding.StubLoop;
        var isEmpty = IsStub || !facts.HasObservation;

        // In real time, or if the client asks once more, the answer with the results may repeat the last loop.
        var isNew = !isEmpty
            && (NextStep == 0 || facts.GameLoop > _gameLoop || (!HasEnded && !facts.HasPlayerResult));
        HasEnded |= facts.HasPlayerResult || isEmpty || answer.Slice.Status == Status.Ended;
        IsComplete |= facts.HasPlayerResult || (!isEmpty && facts.GameLoop >= GameEnding.LastLoop);
        if (!isNew)
        {
            return null;
        }

        Volatile.Write(ref _gameLoop, facts.GameLoop);
        return ObservationFrame.Create(
            answer.Buffer,
            answer.Slice.BodyStart,
            answer.Slice.BodyLength,
            new FrameHeader(match, perspective, NextStep++, facts.GameLoop, answer.RequestedNs, answer.ObservedNs));
    }

    /// <summary>The match's end, with everything that is known now.</summary>
    /// <param name="reason">Why the match ended.</param>
    /// <param name="detail">More about the reason, for the user.</param>
    public V1.MatchEnd DescribeEnd(V1.EndReason reason, string detail = "") => new()
    {
        MatchId = match,
        Results = { Results },
        Step = Step,
        GameLoop = GameLoop,
        Reason = reason,
        Detail = detail,
        Aborted = reason == V1.EndReason.Failed,
    };
}
