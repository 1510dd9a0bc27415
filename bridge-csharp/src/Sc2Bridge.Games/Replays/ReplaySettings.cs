using SC2APIProtocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>How a replay is watched in the game.</summary>
public sealed record ReplaySettings
{
    /// <summary>The match's name; null makes one up that is unique.</summary>
    public string? Match { get; init; }

    /// <summary>Whose eyes: a player id, or 0 for an observer of all.</summary>
    public uint Observe { get; init; }

    /// <summary>Lifts the fog of war.</summary>
    public bool DisableFog { get; init; }

    /// <summary>
    /// The file of the map that it was played on, where the game shall not look for it; null lets it.
    /// </summary>
    public string? MapFile { get; init; }

    /// <summary>Game loops from one observation to the next, at least 1.</summary>
    public uint StepSize { get; init; } = 1;

    /// <summary>How fast it begins.</summary>
    public StepRate Rate { get; init; } = StepRate.Max;

    /// <summary>The game loop to begin at, or at the next that is observed; null for the first.</summary>
    public uint? From { get; init; }

    /// <summary>The last game loop that is observed; null for the replay's.</summary>
    public uint? To { get; init; }

    /// <summary>It is held once its first step is given.</summary>
    public bool IsHeld { get; init; }

    /// <summary>What observations hold.</summary>
    public InterfaceOptions Interface { get; init; } = MatchSettings.DefaultInterface();

    /// <summary>What a follower of a match needs to know of it.</summary>
    internal MatchSettings Following => new() { StepSize = StepSize, Rate = Rate, DisableFog = DisableFog };

    /// <summary>Checks what the types do not.</summary>
    /// <exception cref="GameException">A setting is not possible; the message names it.</exception>
    public void Validate()
    {
        Following.Validate();
        if (Rate.Realtime && (From is not null || To is not null || IsHeld))
        {
            throw new GameException(
                "In real time the game's own clock runs a replay: no part of it can be chosen, and it cannot be held. "
                + "Give max, or steps a second.");
        }

        if (From > To)
        {
            throw new GameException($"There are no game loops from {From} to {To}: give --to a later one.");
        }
    }
}
