using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>How a replay is watched in the game.</summary>
public sealed record ReplaySettings
{
    /// <summary>The match's name; null for a generated unique name.</summary>
    public string? Match { get; init; }

    /// <summary>The perspective: a player id, or 0 for an observer of all.</summary>
    public uint Observe { get; init; }

    /// <summary>Whether to observe without the fog of war.</summary>
    public bool DisableFog { get; init; }

    /// <summary>
    /// The file of the replay's map; null if the game finds the map itself.
    /// </summary>
    public string? MapFile { get; init; }

    /// <summary>Game loops from one observation to the next, at least 1.</summary>
    public uint StepSize { get; init; } = 1;

    /// <summary>The rate at the beginning.</summary>
    public StepRate Rate { get; init; } = StepRate.Max;

    /// <summary>The game loop to begin at; null for the first loop. If this loop is not observed, the replay begins at the next observed loop.</summary>
    public uint? From { get; init; }

    /// <summary>The last game loop to observe; null for the replay's last loop.</summary>
    public uint? To { get; init; }

    /// <summary>Whether the replay pauses after its first step.</summary>
    public bool IsPaused { get; init; }

    /// <summary>The contents of the observations.</summary>
    public InterfaceOptions Interface { get; init; } = DefaultInterface.Create();

    /// <summary>The settings for reading the observations.</summary>
    internal MatchSettings ObservationSettings => new() { StepSize = StepSize, Rate = Rate, DisableFog = DisableFog };

    /// <summary>Rejects settings that are not possible, although their types allow them.</summary>
    /// <exception cref="GameException">A setting is not possible. The message names it.</exception>
    public void Validate()
    {
        ObservationSettings.Validate();
        if (Rate.Realtime && (From is not null || To is not null || IsPaused))
        {
            throw new GameException(
                "In real time the game's own clock runs a replay: no part of it can be chosen, and it cannot be paused. "
                + "Write max, or a number of steps a second.");
        }

        if (From > To)
        {
            throw new GameException($"There are no game loops from {From} to {To}: give --to a later game loop.");
        }
    }
}
