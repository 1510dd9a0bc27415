using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games;

/// <summary>A step in a recording.</summary>
/// <param name="Step">The step's number.</param>
/// <param name="GameLoop">The game loop of the step's first observation.</param>
internal readonly record struct FoundStep(ulong Step, uint GameLoop);

/// <summary>
/// Finds steps of a recording, in the observations of all perspectives. Use this object and all other readers of the recording on one
/// thread at a time. A member that reads a damaged part of the recording throws <see cref="RecordingException"/>.
/// </summary>
internal sealed class StepSearch(RecordingReader recording) : IDisposable
{
    private readonly ObservationReader _reader = recording.Observations();

    /// <summary>The first step; null if the recording has no step.</summary>
    public FoundStep? First()
    {
        using var reader = recording.Observations();
        return Next(reader);
    }

    /// <summary>The step with this number, or the next recorded step; null if no such step was recorded.</summary>
    public FoundStep? AtOrAfterStep(ulong step)
    {
        _reader.SeekStep(step);
        return Next(_reader);
    }

    /// <summary>The first step at or after this game loop; null if no such step was recorded.</summary>
    public FoundStep? AtOrAfterLoop(uint loop)
    {
        _reader.SeekLoop(loop);
        return Next(_reader);
    }

    /// <summary>The last step before the given step; null if no earlier step was recorded.</summary>
    public FoundStep? BeforeStep(ulong step)
    {
        FoundStep? best = null;
        var (least, beyond) = (0ul, step);

        // Tries the previous step number first, because it usually exists. If steps are missing, a binary search finds the step.
        for (var candidate = step - 1; least < beyond; candidate = least + ((beyond - least) / 2))
        {
            if (AtOrAfterStep(candidate) is { } found && found.Step < step)
            {
                best = found;
                least = found.Step + 1;
            }
            else
            {
                beyond = candidate;
            }
        }

        return best;
    }

    /// <summary>The last step; if the recording is damaged at its end, the last step before the damage; null if there is no step.</summary>
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
        for (var distance = 1L; ; distance *= 2)
        {
            var index = Math.Max(0, count - distance);
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
                // The next attempt begins further from the end.
            }
        }
    }
}
