using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>What the playback of a recording gives: its frames in their recorded order, back and forth.</summary>
internal sealed class RecordedPlay : SteppedPlay
{
    private readonly RecordedFrames _frames;
    private readonly string _match;
    private readonly IReadOnlyCollection<uint> _perspectives;
    private readonly bool _repeats;

    // Perspectives whose next frame does not follow their last one.
    private readonly HashSet<uint> _jumped = [];
    private bool _given;

    public RecordedPlay(RecordedFrames frames, MatchDescription description, PlaybackOptions options)
        : base(description.MatchId, frames.Range, new PlaybackClock(options.Rate.Hz, options.IsHeld), options.Repeats)
    {
        _frames = frames;
        _match = description.MatchId;
        _perspectives = description.Perspectives;
        _repeats = options.Repeats;
        SetOut(isJump: frames.Range.FirstStep > 0);
    }

    /// <summary>Whether it has given all, and goes on no more.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>
    /// When the next frame, or the end, is due; null while it is paused and only a request gives one.
    /// </summary>
    /// <exception cref="RecordingException">The recording is damaged there.</exception>
    public override long? DueNs(long nowNs)
    {
        if (_frames.Peek() is { } next)
        {
            // A step is given whole: the other perspectives of one that was begun follow it.
            return _given && next.Step <= At.Step ? nowNs : Clock.DueNs(nowNs);
        }

        if (_repeats)
        {
            return Clock.DueNs(nowNs);
        }

        if (Clock.IsHeld)
        {
            Clock.Hold();
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

            _frames.MoveToStep(Range.FirstStep);
            SetOut(isJump: true);
        }

        var next = _frames.Take()!;
        if (!_given || next.Step > At.Step)
        {
            Clock.Give(nowNs);
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

    /// <inheritdoc/>
    protected override void MoveBack(ulong steps) => _frames.MoveBack(At.Step, steps);

    /// <inheritdoc/>
    protected override void MoveToLoop(uint loop) => _frames.MoveToLoop(loop);

    /// <inheritdoc/>
    protected override void MoveToStep(ulong step) => _frames.MoveToStep(step);

    /// <inheritdoc/>
    protected override void Moved() => SetOut(isJump: true);

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
}
