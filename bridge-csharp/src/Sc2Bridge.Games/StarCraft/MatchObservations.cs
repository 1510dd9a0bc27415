using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Makes frames of the game's answers to observations, and learns from them how the match ends.</summary>
/// <param name="match">The match's name, which its frames bear.</param>
/// <param name="perspective">Whose eyes the client has.</param>
internal sealed class MatchObservations(string match, uint perspective)
{
    private uint _gameLoop;

    /// <summary>The newest one's game loop; may be read from any thread.</summary>
    public uint GameLoop => Volatile.Read(ref _gameLoop);

    /// <summary>The step of the next one.</summary>
    public ulong NextStep { get; set; }

    /// <summary>The newest one's step; 0 before the first.</summary>
    public ulong Step => NextStep == 0 ? 0 : NextStep - 1;

    /// <summary>Whether the game has said that the match is over, with results or without.</summary>
    public bool HasEnded { get; set; }

    /// <summary>The results, once the game told them.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private set; } = [];

    /// <summary>Whether nothing more is to be learnt: the results are known, or a match can be no longer.</summary>
    public bool IsComplete { get; private set; }

    /// <summary>Whether the newest answer was the stub that can come last.</summary>
    public bool IsStub { get; private set; }

    /// <summary>Takes an answer to an observation.</summary>
    /// <param name="answer">Its buffer goes with the frame; where there is none the caller still has it.</param>
    /// <returns>
    /// The frame; null where the game refused, sent its last stub, or showed the last loop again after the end.
    /// </returns>
    /// <exception cref="GameException">It is no observation.</exception>
    public ObservationFrame? Take(in RawResponse answer)
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

        // The answer that brings the results, in real time or to who asks once more, may show the last loop again.
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

    /// <summary>The match's end as it stands now.</summary>
    /// <param name="reason">Why it ended.</param>
    /// <param name="detail">More about the reason, for people.</param>
    public V1.MatchEnd Ended(V1.EndReason reason, string detail = "") => new()
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
