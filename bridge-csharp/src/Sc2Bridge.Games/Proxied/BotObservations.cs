using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Makes frames of the observations that a bot got, and hears from them how the match ends.</summary>
/// <param name="match">The match's name.</param>
/// <param name="perspective">Whose eyes the bot has.</param>
internal sealed class BotObservations(string match, uint perspective)
{
    private ulong _nextStep;
    private bool _over;
    private uint _gameLoop;

    /// <summary>The newest one's game loop; may be read from any thread.</summary>
    public uint GameLoop => Volatile.Read(ref _gameLoop);

    /// <summary>The newest one's step; 0 before the first.</summary>
    public ulong Step => _nextStep == 0 ? 0 : _nextStep - 1;

    /// <summary>The results, once the game told them.</summary>
    public IReadOnlyList<PlayerResult> Results { get; private set; } = [];

    /// <summary>Whether the match is over by what the game told, with results or as long as a match can be.</summary>
    public bool IsOver { get; private set; }

    /// <summary>Takes an answer to an observation, as the bot got it.</summary>
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
            facts = ObservationSlicer.Read(answer.Body);
            Results = facts.HasPlayerResult ? GameEnding.Results(answer.Body) : Results;
        }
        catch (Exception malformed) when (malformed is MalformedMessageException or InvalidProtocolBufferException)
        {
            throw new GameException(
                $"The game's observation is not a ResponseObservation: {malformed.Message}", malformed);
        }

        var stub = !facts.HasObservation || facts.GameLoop == GameEnding.StubLoop;
        var isNew = !stub && (_nextStep == 0 || facts.GameLoop > _gameLoop || !_over);
        if (isNew)
        {
            Volatile.Write(ref _gameLoop, facts.GameLoop);
            _nextStep++;
        }

        _over |= facts.HasPlayerResult || stub || answer.Slice.Status == Status.Ended;
        IsOver |= facts.HasPlayerResult || (!stub && facts.GameLoop >= GameEnding.LastLoop);
        return isNew
            ? ObservationFrame.Create(
                answer.Buffer,
                answer.Slice.BodyStart,
                answer.Slice.BodyLength,
                new FrameHeader(match, perspective, _nextStep - 1, _gameLoop, answer.RequestedNs, answer.ObservedNs))
            : null;
    }

    /// <summary>The match's end as it stands now.</summary>
    /// <param name="reason">Why it ended.</param>
    /// <param name="aborted">Whether it was cut off.</param>
    public V1.MatchEnd Ended(string reason, bool aborted) => new()
    {
        MatchId = match,
        Results = { Results },
        Step = Step,
        GameLoop = GameLoop,
        Reason = reason,
        Aborted = aborted,
    };
}
