using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Command = Sc2Bridge.V1.ControlRequest.CommandOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// The steps of a playback in their order, and the time at which each step is due. Clients pause the playback, move it and
/// set its rate. This class does not read a clock: the caller passes the current time. Not thread-safe.
/// </summary>
/// <param name="match">The match's name.</param>
/// <param name="range">The range that is played.</param>
/// <param name="clock">Decides when a step is due.</param>
/// <param name="repeats">Whether the playback starts over at its end.</param>
internal abstract class SteppedPlay(string match, PlaybackRange range, PlaybackClock clock, bool repeats = false)
{
    /// <summary>The last step that was played; after a move, the next step to play.</summary>
    public FoundStep CurrentStep { get; protected set; }

    protected PlaybackRange Range => range;

    /// <summary>Decides when a step is due.</summary>
    protected PlaybackClock Clock => clock;

    /// <summary>The time at which the next step is due; null if the playback waits for a client's request.</summary>
    public virtual long? DueNs(long nowNs) => clock.DueNs(nowNs);

    /// <summary>Carries out a client's request.</summary>
    /// <exception cref="RequestRefusedException">The request is not possible. The status is INVALID_ARGUMENT or FAILED_PRECONDITION.</exception>
    /// <exception cref="RecordingException">The recording is damaged at the new position. The position does not change.</exception>
    public void Apply(ControlRequest request, long nowNs)
    {
        if (clock.TryApply(request, nowNs))
        {
            return;
        }

        switch (request.CommandCase)
        {
            case Command.Step:
                MoveBack((ulong)-(long)request.Step);
                clock.Pause();
                break;
            case Command.SeekLoop:
                PlaybackClock.CheckRange("game loop", request.SeekLoop, range.FirstLoop, range.LastLoop);
                MoveToLoop(request.SeekLoop);
                break;
            case Command.SeekStep:
                PlaybackClock.CheckRange("step", request.SeekStep, range.FirstStep, range.LastStep);
                MoveToStep(request.SeekStep);
                break;
            default:
                return;
        }

        clock.OnSeek();
        OnMoved();
    }

    /// <summary>The playback's state.</summary>
    public PlaybackState State() => new()
    {
        MatchId = match,
        Paused = clock.IsPaused,
        Step = CurrentStep.Step,
        GameLoop = CurrentStep.GameLoop,
        Rate = clock.Hz,
        FirstStep = range.FirstStep,
        LastStep = range.LastStep,
        FirstGameLoop = range.FirstLoop,
        LastGameLoop = range.LastLoop,
        Repeats = repeats,
    };

    /// <summary>Moves back by a number of steps, but not before the first step of the range.</summary>
    protected abstract void MoveBack(ulong steps);

    /// <summary>Moves to the first step of a game loop or of a later loop.</summary>
    protected abstract void MoveToLoop(uint loop);

    protected abstract void MoveToStep(ulong step);

    protected virtual void OnMoved()
    {
    }
}
