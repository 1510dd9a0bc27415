using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games;

/// <summary>An observation that comes next, in memory of its own.</summary>
/// <param name="Perspective">Whose eyes.</param>
/// <param name="Step">Its step.</param>
/// <param name="GameLoop">Its game loop.</param>
/// <param name="Bytes">The observation alone, held once.</param>
internal sealed record NextObservation(uint Perspective, ulong Step, uint GameLoop, MessageBuffer Bytes);

/// <summary>
/// The observations of what is played of a recording, one ahead, from any step of it on. For one thread at a time.
/// </summary>
internal sealed class RecordedFrames : IDisposable
{
    private readonly RecordingReader _recording;
    private readonly ObservationReader _reader;
    private readonly bool _isOfSeveral;
    private NextObservation? _next;

    /// <exception cref="RecordingException">It is damaged where it begins.</exception>
    public RecordedFrames(RecordingReader recording, PlaybackRange range)
    {
        _recording = recording;
        _isOfSeveral = recording.Perspectives.Count > 1;
        Range = range;
        _reader = recording.Observations();
        try
        {
            // What is at its beginning can be read, whatever is damaged elsewhere.
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

    /// <summary>What is played.</summary>
    public PlaybackRange Range { get; }

    /// <summary>What comes next, read now where it was not yet; null at the end.</summary>
    /// <exception cref="RecordingException">It is damaged there.</exception>
    public NextObservation? Peek()
    {
        if (_next is null && _reader.Next(out var read))
        {
            _next = new NextObservation(read.Perspective, read.Step, read.GameLoop, read.Copy());
        }

        return IsPlayed(_next) ? _next : null;
    }

    /// <summary>Takes what comes next, with its bytes.</summary>
    public NextObservation? Take()
    {
        var next = Peek();
        _next = next is null ? _next : null;
        return next;
    }

    /// <summary>Moves to the first step from a number on.</summary>
    /// <exception cref="RecordingException">It is damaged there; what came next still does.</exception>
    public void MoveToStep(ulong step)
    {
        using var search = new StepSearch(_recording);
        Move(search.AtOrAfter(step));
    }

    /// <summary>Moves to the first step from a game loop on.</summary>
    /// <exception cref="RecordingException">It is damaged there; what came next still does.</exception>
    public void MoveToLoop(uint loop)
    {
        using var search = new StepSearch(_recording);
        Move(search.OfLoop(loop));
    }

    /// <summary>Moves so many steps back from one, or to the one before it where those are missing.</summary>
    /// <exception cref="RecordingException">It is damaged there; what came next still does.</exception>
    public void MoveBack(ulong from, ulong steps)
    {
        using var search = new StepSearch(_recording);
        var wanted = from - Range.FirstStep > steps ? from - steps : Range.FirstStep;
        var found = search.AtOrAfter(wanted);
        Move(found?.Step < from || from == Range.FirstStep ? found : search.Before(from));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _next?.Bytes.Release();
        _next = null;
        _reader.Dispose();
    }

    // Sides that step by themselves are not at the same loop at the same step.
    private bool IsPlayed(NextObservation? next) =>
        _isOfSeveral ? !Range.IsCut || next?.GameLoop <= Range.LastLoop : next?.Step <= Range.LastStep;

    // It was found, so that its chunk can be read.
    private void Move(FoundStep? found)
    {
        if (_isOfSeveral)
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
