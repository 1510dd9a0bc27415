using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Command = Sc2Bridge.V1.ControlRequest.CommandOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// The steps of a playback in their order, and when each is due. A client holds, moves and paces the playback. Plain state:
/// the caller passes the time in. Not thread-safe.
/// </summary>
/// <param name="match">The match's name.</param>
/// <param name="range">What is played.</param>
/// <param name="clock">When.</param>
/// <param name="repeats">Whether it begins again at its end.</param>
internal abstract class SteppedPlay(string match, PlaybackRange range, PlaybackClock clock, bool repeats = false)
{
    /// <summary>The newest step that was given; after a move, the step that comes next.</summary>
    public FoundStep At { get; protected set; }

    protected PlaybackRange Range => range;

    /// <summary>When.</summary>
    protected PlaybackClock Clock => clock;

    /// <summary>When what comes next is due; null where only a request brings it.</summary>
    public virtual long? DueNs(long nowNs) => clock.DueNs(nowNs);

    /// <summary>Carries out a request.</summary>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT, FAILED_PRECONDITION: it cannot be so.</exception>
    /// <exception cref="RecordingException">The recording is damaged there; it stands as before.</exception>
    public void Apply(ControlRequest request, long nowNs)
    {
        if (clock.Apply(request, nowNs))
        {
            return;
        }

        switch (request.CommandCase)
        {
            case Command.Step:
                MoveBack((ulong)-(long)request.Step);
                clock.Hold();
                break;
            case Command.SeekLoop:
                PlaybackClock.Check("game loop", request.SeekLoop, range.FirstLoop, range.LastLoop);
                MoveToLoop(request.SeekLoop);
                break;
            case Command.SeekStep:
                PlaybackClock.Check("step", request.SeekStep, range.FirstStep, range.LastStep);
                MoveToStep(request.SeekStep);
                break;
            default:
                return;
        }

        clock.Move();
        Moved();
    }

    /// <summary>The playback's state.</summary>
    public PlaybackState State() => new()
    {
        MatchId = match,
        Paused = clock.IsHeld,
        Step = At.Step,
        GameLoop = At.GameLoop,
        Rate = clock.Hz,
        FirstStep = range.FirstStep,
        LastStep = range.LastStep,
        FirstGameLoop = range.FirstLoop,
        LastGameLoop = range.LastLoop,
        Repeats = repeats,
    };

    /// <summary>So many steps back, or to the first.</summary>
    protected abstract void MoveBack(ulong steps);

    /// <summary>To the first step of a game loop or of a later one.</summary>
    protected abstract void MoveToLoop(uint loop);

    protected abstract void MoveToStep(ulong step);

    protected virtual void Moved()
    {
    }
}
