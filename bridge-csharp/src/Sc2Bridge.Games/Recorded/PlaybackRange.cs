using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>What of a recording is played.</summary>
/// <param name="FirstStep">The first step that there is in it.</param>
/// <param name="LastStep">The last one.</param>
/// <param name="FirstLoop">The first step's game loop.</param>
/// <param name="LastLoop">The last step's.</param>
/// <param name="IsCut">Whether the recording goes on behind it.</param>
internal readonly record struct PlaybackRange(
    ulong FirstStep, ulong LastStep, uint FirstLoop, uint LastLoop, bool IsCut)
{
    /// <summary>Finds it.</summary>
    /// <param name="recording">The recording.</param>
    /// <param name="from">The game loop to begin at; null for the first.</param>
    /// <param name="to">The last game loop; null for the recording's.</param>
    /// <exception cref="GameException">There is nothing in it; the message says what there is.</exception>
    /// <exception cref="RecordingException">The recording is damaged there.</exception>
    public static PlaybackRange Find(RecordingReader recording, uint? from, uint? to)
    {
        using var search = new StepSearch(recording);
        if (search.First() is not { } first || search.Last() is not { } end)
        {
            throw new GameException(
                recording.Problem is { } problem
                    ? $"{recording.Name} has no whole observation to play. {problem}"
                    : $"{recording.Name} has no observations to play: record a match that has steps");
        }

        var begin = from is { } begins ? search.OfLoop(begins) : first;
        var last = to is { } ends && ends < end.GameLoop
            ? search.OfLoop(ends + 1) is { } beyond ? search.Before(beyond.Step) : null
            : end;
        return begin is { } one && last is { } other && one.Step <= other.Step
            ? new PlaybackRange(one.Step, other.Step, one.GameLoop, other.GameLoop, other.Step < end.Step)
            : throw new GameException(
                $"{recording.Name} has no observations {Named(from, to)}: choose from {first.GameLoop} to "
                + $"{end.GameLoop}");
    }

    private static string Named(uint? from, uint? to) => (from, to) switch
    {
        (null, _) => $"up to game loop {to}",
        (_, null) => $"from game loop {from} on",
        _ => $"of the game loops {from} to {to}",
    };
}
