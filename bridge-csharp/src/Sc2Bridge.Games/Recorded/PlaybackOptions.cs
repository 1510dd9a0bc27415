using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>How a recording is played.</summary>
public sealed record PlaybackOptions
{
    /// <summary>How fast it begins: max, or steps a second.</summary>
    public StepRate Rate { get; init; } = StepRate.Max;

    /// <summary>The game loop to begin at, or at the next that there is; null for the first.</summary>
    public uint? From { get; init; }

    /// <summary>The last game loop that is played; null for the recording's.</summary>
    public uint? To { get; init; }

    /// <summary>At its end it starts over, until it is stopped.</summary>
    public bool Repeats { get; init; }

    /// <summary>It is held once its first step is given.</summary>
    public bool IsHeld { get; init; }
}
