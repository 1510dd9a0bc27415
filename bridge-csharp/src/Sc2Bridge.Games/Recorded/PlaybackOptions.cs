using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>How a recording is played.</summary>
public sealed record PlaybackOptions
{
    /// <summary>The rate at the beginning: max, or a number of steps per second.</summary>
    public StepRate Rate { get; init; } = StepRate.Max;

    /// <summary>The game loop to begin at; null for the first loop. If this loop was not recorded, playback begins at the next recorded loop.</summary>
    public uint? From { get; init; }

    /// <summary>The last game loop to play; null for the recording's last loop.</summary>
    public uint? To { get; init; }

    /// <summary>Whether playback starts again after its end, until a user stops it.</summary>
    public bool Repeats { get; init; }

    /// <summary>Whether playback pauses after its first step.</summary>
    public bool IsPaused { get; init; }
}
