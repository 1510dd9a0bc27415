using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The part of a recording that is played.</summary>
/// <param name="FirstStep">The first recorded step in the range.</param>
/// <param name="LastStep">The last recorded step in the range.</param>
/// <param name="FirstLoop">The game loop of the first step.</param>
/// <param name="LastLoop">The game loop of the last step.</param>
/// <param name="IsCut">Whether the recording continues after the range.</param>
internal readonly record struct PlaybackRange(
    ulong FirstStep, ulong LastStep, uint FirstLoop, uint LastLoop, bool IsCut)
{
    /// <summary>Finds the range between two game loops.</summary>
    /// <param name="recording">The recording.</param>
    /// <param name="from">The game loop to begin at; null for the first loop.</param>
    /// <param name="to">The last game loop to play; null for the recording's last loop.</param>
    /// <exception cref="GameException">The range contains no observation. The message names the available loops.</exception>
    /// <exception cref="RecordingException">The method reads a damaged part of the recording.</exception>
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

        var begin = from is { } begins ? search.AtOrAfterLoop(begins) : first;
        var last = to is { } ends && ends < end.GameLoop
            ? search.AtOrAfterLoop(ends + 1) is { } beyond ? search.BeforeStep(beyond.Step) : null
            : end;
        return begin is { } firstPlayed && last is { } lastPlayed && firstPlayed.Step <= lastPlayed.Step
            ? new PlaybackRange(firstPlayed.Step, lastPlayed.Step, firstPlayed.GameLoop, lastPlayed.GameLoop, lastPlayed.Step < end.Step)
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
