using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>Plays the frames of a recording in their recorded order, and moves back and forth in the recording.</summary>
internal sealed class RecordedPlay : SteppedPlay
{
    private readonly RecordedFrames _frames;
    private readonly string _match;
    private readonly IReadOnlyCollection<uint> _perspectives;
    private readonly bool _repeats;

    // Perspectives whose next frame does not follow their last frame, because the playback was moved or starts over.
    private readonly HashSet<uint> _jumpedPerspectives = [];
    private bool _isStepBegun;

    public RecordedPlay(RecordedFrames frames, MatchDescription description, PlaybackOptions options)
        : base(description.MatchId, frames.Range, new PlaybackClock(options.Rate.Hz, options.IsPaused), options.Repeats)
    {
        _frames = frames;
        _match = description.MatchId;
        _perspectives = description.Perspectives;
        _repeats = options.Repeats;
        RestartAtNextFrame(isJump: frames.Range.FirstStep > 0);
    }

    /// <summary>Whether the playback has ended, because all frames were returned.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>
    /// The time at which the next frame or the playback's end is due; null while playback is paused and waits for a request.
    /// </summary>
    /// <exception cref="RecordingException">The method reads a damaged part of the recording.</exception>
    public override long? DueNs(long nowNs)
    {
        if (_frames.Peek() is { } next)
        {
            // The frames of all perspectives at one step are due together, so the other perspectives' frames follow at once.
            return _isStepBegun && next.Step <= CurrentStep.Step ? nowNs : Clock.DueNs(nowNs);
        }

        if (_repeats)
        {
            return Clock.DueNs(nowNs);
        }

        if (Clock.IsPaused)
        {
            Clock.Pause();
            return null;
        }

        return nowNs;
    }

    /// <summary>Returns the frame that is due now.</summary>
    /// <returns>A frame that the caller releases; null at the end.</returns>
    /// <exception cref="RecordingException">The method reads a damaged part of the recording.</exception>
    public ObservationFrame? TakeDueFrame(long nowNs)
    {
        if (_frames.Peek() is null)
        {
            if (!_repeats)
            {
                HasEnded = true;
                return null;
            }

            _frames.MoveToStep(Range.FirstStep);
            RestartAtNextFrame(isJump: true);
        }

        var next = _frames.Dequeue()!;
        if (!_isStepBegun || next.Step > CurrentStep.Step)
        {
            Clock.OnStepGiven(nowNs);
            CurrentStep = new FoundStep(next.Step, next.GameLoop);
            _isStepBegun = true;
        }

        var frame = ObservationFrame.Create(
            next.Bytes,
            0,
            next.Bytes.Length,
            new FrameHeader(
                _match, next.Perspective, next.Step, next.GameLoop, nowNs, MonotonicClock.NowNs));
        frame.Jump = _jumpedPerspectives.Remove(next.Perspective) ? State() : null;
        return frame;
    }

    /// <inheritdoc/>
    protected override void MoveBack(ulong steps) => _frames.MoveBack(CurrentStep.Step, steps);

    /// <inheritdoc/>
    protected override void MoveToLoop(uint loop) => _frames.MoveToLoop(loop);

    /// <inheritdoc/>
    protected override void MoveToStep(ulong step) => _frames.MoveToStep(step);

    /// <inheritdoc/>
    protected override void OnMoved() => RestartAtNextFrame(isJump: true);

    // Goes on at the next frame. If isJump is true, this frame does not follow the frame that was returned last.
    private void RestartAtNextFrame(bool isJump)
    {
        if (_frames.Peek() is { } next)
        {
            CurrentStep = new FoundStep(next.Step, next.GameLoop);
        }

        _isStepBegun = false;
        if (isJump)
        {
            _jumpedPerspectives.UnionWith(_perspectives);
        }
    }
}
