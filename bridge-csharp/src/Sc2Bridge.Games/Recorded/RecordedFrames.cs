using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games;

/// <summary>The next observation of a playback, in a buffer that only this observation uses.</summary>
/// <param name="Perspective">The observation's perspective.</param>
/// <param name="Step">The observation's step.</param>
/// <param name="GameLoop">The observation's game loop.</param>
/// <param name="Bytes">The buffer with the observation's bytes. It has one reference.</param>
internal sealed record NextObservation(uint Perspective, ulong Step, uint GameLoop, MessageBuffer Bytes);

/// <summary>
/// Reads the observations in the played range, from any step on. It reads one observation ahead. Use this object on one thread at a time.
/// </summary>
internal sealed class RecordedFrames : IDisposable
{
    private readonly RecordingReader _recording;
    private readonly ObservationReader _reader;
    private readonly bool _hasSeveralPerspectives;
    private NextObservation? _next;

    /// <exception cref="RecordingException">The recording is damaged at the beginning of the range.</exception>
    public RecordedFrames(RecordingReader recording, PlaybackRange range)
    {
        _recording = recording;
        _hasSeveralPerspectives = recording.Perspectives.Count > 1;
        Range = range;
        _reader = recording.Observations();
        try
        {
            // A range that begins with the file needs no search, so it can be played even if later parts of the file are damaged.
            if (Peek()?.Step != range.FirstStep)
            {
                Move(new FoundStep(range.FirstStep, range.FirstLoop));
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The range that is played.</summary>
    public PlaybackRange Range { get; }

    /// <summary>Returns the next observation, and reads it now if necessary; null at the end of the range.</summary>
    /// <exception cref="RecordingException">The next observation is damaged.</exception>
    public NextObservation? Peek()
    {
        if (_next is null && _reader.Next(out var read))
        {
            _next = new NextObservation(read.Perspective, read.Step, read.GameLoop, read.Copy());
        }

        return IsInRange(_next) ? _next : null;
    }

    /// <summary>Removes and returns the next observation; null at the end of the range. The caller owns the observation's buffer.</summary>
    public NextObservation? Dequeue()
    {
        var next = Peek();
        _next = next is null ? _next : null;
        return next;
    }

    /// <summary>Moves to this step. If the step is missing, moves to the next recorded step.</summary>
    /// <exception cref="RecordingException">The recording is damaged at the new position. The position does not change.</exception>
    public void MoveToStep(ulong step)
    {
        using var search = new StepSearch(_recording);
        Move(search.AtOrAfterStep(step));
    }

    /// <summary>Moves to the first step at or after this game loop.</summary>
    /// <exception cref="RecordingException">The recording is damaged at the new position. The position does not change.</exception>
    public void MoveToLoop(uint loop)
    {
        using var search = new StepSearch(_recording);
        Move(search.AtOrAfterLoop(loop));
    }

    /// <summary>
    /// Moves back from a step by a number of steps, but not before the range's first step. If the target step is missing, moves to the first recorded
    /// step between the target and <paramref name="from"/>. If no step between them was recorded, moves to the last recorded step before the target.
    /// </summary>
    /// <exception cref="RecordingException">The recording is damaged at the new position. The position does not change.</exception>
    public void MoveBack(ulong from, ulong steps)
    {
        using var search = new StepSearch(_recording);
        var wanted = from - Range.FirstStep > steps ? from - steps : Range.FirstStep;
        var found = search.AtOrAfterStep(wanted);
        Move(found?.Step < from || from == Range.FirstStep ? found : search.BeforeStep(from));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _next?.Bytes.Release();
        _next = null;
        _reader.Dispose();
    }

    // Players that step independently may be at different loops at the same step. So the frames' game loops decide which frames are in the range.
    private bool IsInRange(NextObservation? next) =>
        _hasSeveralPerspectives ? !Range.IsCut || next?.GameLoop <= Range.LastLoop : next?.Step <= Range.LastStep;

    // The search has already read the found step, so the part of the file that contains the step is not damaged.
    private void Move(FoundStep? found)
    {
        if (_hasSeveralPerspectives)
        {
            _reader.SeekLoop(found?.GameLoop ?? Range.LastLoop);
        }
        else
        {
            _reader.SeekStep(found?.Step ?? Range.LastStep);
        }

        _next?.Bytes.Release();
        _next = null;
        Peek();
    }
}
