using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games;

/// <summary>A step that a recording has.</summary>
/// <param name="Step">Its number.</param>
/// <param name="GameLoop">The game loop of its first observation.</param>
internal readonly record struct FoundStep(ulong Step, uint GameLoop);

/// <summary>
/// Finds which steps a recording has, of all its perspectives together. For one thread at a time with all else that
/// reads the recording. Every member throws <see cref="RecordingException"/> where it is damaged there.
/// </summary>
internal sealed class StepSearch(RecordingReader recording) : IDisposable
{
    private readonly ObservationReader _reader = recording.Observations();

    /// <summary>The first step of all; null where there is none.</summary>
    public FoundStep? First()
    {
        using var reader = recording.Observations();
        return Next(reader);
    }

    /// <summary>The first step from a number on; null where there is none.</summary>
    public FoundStep? AtOrAfter(ulong step)
    {
        _reader.SeekStep(step);
        return Next(_reader);
    }

    /// <summary>The first step from a game loop on; null where there is none.</summary>
    public FoundStep? OfLoop(uint loop)
    {
        _reader.SeekLoop(loop);
        return Next(_reader);
    }

    /// <summary>The last step before another; null where there is none.</summary>
    public FoundStep? Before(ulong step)
    {
        FoundStep? best = null;
        var (least, beyond) = (0ul, step);

        // The one right before it but where some are missing.
        for (var at = step - 1; least < beyond; at = least + ((beyond - least) / 2))
        {
            if (AtOrAfter(at) is { } found && found.Step < step)
            {
                best = found;
                least = found.Step + 1;
            }
            else
            {
                beyond = at;
            }
        }

        return best;
    }

    /// <summary>The last step of all; of a recording that is damaged at its end, the last before the damage.</summary>
    public FoundStep? Last()
    {
        FoundStep? last = null;
        foreach (var perspective in recording.Perspectives)
        {
            last = LastOf(perspective) is { } found && !(found.Step < last?.Step) ? found : last;
        }

        return last;
    }

    /// <inheritdoc/>
    public void Dispose() => _reader.Dispose();

    private static FoundStep? Next(ObservationReader reader) =>
        reader.Next(out var observation) ? new(observation.Step, observation.GameLoop) : null;

    private FoundStep? LastOf(uint perspective)
    {
        using var reader = recording.Observations(perspective);
        var count = recording.Count(perspective);
        FoundStep? last = null;
        for (var back = 1L; ; back *= 2)
        {
            var index = Math.Max(0, count - back);
            try
            {
                reader.SeekIndex(index);
                while (Next(reader) is { } next)
                {
                    last = next;
                }

                return last;
            }
            catch (RecordingException) when (last is not null)
            {
                return last;
            }
            catch (RecordingException) when (index > 0)
            {
                // Further from the end.
            }
        }
    }
}
