using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Command = Sc2Bridge.V1.ControlRequest.CommandOneofCase;

namespace Sc2Bridge.Games;

/// <summary>
/// What a playback gives, and when: its frames in their recorded order, as it is held, moved and paced. It waits for
/// nothing: times are passed in. Not thread-safe.
/// </summary>
internal sealed class RecordedPlay : ISteppedPlay
{
    private readonly RecordedFrames _frames;
    private readonly PlaybackClock _clock;
    private readonly string _match;
    private readonly IReadOnlyCollection<uint> _perspectives;
    private readonly bool _repeats;

    // Perspectives whose next frame does not follow their last one.
    private readonly HashSet<uint> _jumped = [];
    private bool _given;

    public RecordedPlay(RecordedFrames frames, MatchDescription description, PlaybackOptions options)
    {
        _frames = frames;
        _match = description.MatchId;
        _perspectives = description.Perspectives;
        _repeats = options.Repeats;
        _clock = new PlaybackClock(options.Rate.Hz, options.IsHeld);
        SetOut(isJump: frames.Range.FirstStep > 0);
    }

    /// <summary>The newest step that was given; after a move, until it is given, the one that was moved to.</summary>
    public FoundStep At { get; private set; }

    /// <summary>Whether it has given all, and goes on no more.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>
    /// When the next frame, or the end, is due; null while it is paused and only a request gives one.
    /// </summary>
    /// <exception cref="RecordingException">The recording is damaged there.</exception>
    public long? DueNs(long nowNs)
    {
        if (_frames.Peek() is { } next)
        {
            // A step is given whole: the other perspectives of one that was begun follow it.
            return _given && next.Step <= At.Step ? nowNs : _clock.DueNs(nowNs);
        }

        if (_repeats)
        {
            return _clock.DueNs(nowNs);
        }

        if (_clock.IsHeld)
        {
            _clock.Hold();
            return null;
        }

        return nowNs;
    }

    /// <summary>Gives what is due.</summary>
    /// <returns>A frame that the caller holds; null at the end.</returns>
    /// <exception cref="RecordingException">The recording is damaged there.</exception>
    public ObservationFrame? Give(long nowNs)
    {
        if (_frames.Peek() is null)
        {
            if (!_repeats)
            {
                HasEnded = true;
                return null;
            }

            _frames.MoveToStep(_frames.Range.FirstStep);
            SetOut(isJump: true);
        }

        var next = _frames.Take()!;
        if (!_given || next.Step > At.Step)
        {
            _clock.Give(nowNs);
            At = new FoundStep(next.Step, next.GameLoop);
            _given = true;
        }

        var frame = ObservationFrame.Create(
            next.Bytes,
            0,
            next.Bytes.Length,
            new FrameHeader(
                _match, next.Perspective, next.Step, next.GameLoop, nowNs, MonotonicClock.NowNs));
        frame.Jump = _jumped.Remove(next.Perspective) ? State() : null;
        return frame;
    }

    /// <summary>Carries out a request.</summary>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: it cannot be so.</exception>
    /// <exception cref="RecordingException">The recording is damaged there; it stands as before.</exception>
    public void Apply(ControlRequest request, long nowNs)
    {
        if (_clock.Apply(request, nowNs))
        {
            return;
        }

        var range = _frames.Range;
        switch (request.CommandCase)
        {
            case Command.Step:
                _frames.MoveBack(At.Step, (ulong)-(long)request.Step);
                _clock.Hold();
                Moved();
                break;
            case Command.SeekLoop:
                PlaybackClock.Check("game loop", request.SeekLoop, range.FirstLoop, range.LastLoop);
                _frames.MoveToLoop(request.SeekLoop);
                Moved();
                break;
            case Command.SeekStep:
                PlaybackClock.Check("step", request.SeekStep, range.FirstStep, range.LastStep);
                _frames.MoveToStep(request.SeekStep);
                Moved();
                break;
        }
    }

    private void Moved()
    {
        _clock.Move();
        SetOut(isJump: true);
    }

    // From what comes next, which does not follow what was given.
    private void SetOut(bool isJump)
    {
        if (_frames.Peek() is { } next)
        {
            At = new FoundStep(next.Step, next.GameLoop);
        }

        _given = false;
        if (isJump)
        {
            _jumped.UnionWith(_perspectives);
        }
    }

    /// <summary>The playback's state.</summary>
    public PlaybackState State() => new()
    {
        MatchId = _match,
        Paused = _clock.IsHeld,
        Step = At.Step,
        GameLoop = At.GameLoop,
        Rate = _clock.Hz,
        FirstStep = _frames.Range.FirstStep,
        LastStep = _frames.Range.LastStep,
        FirstGameLoop = _frames.Range.FirstLoop,
        LastGameLoop = _frames.Range.LastLoop,
        Repeats = _repeats,
    };
}
