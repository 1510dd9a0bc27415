namespace Sc2Bridge.GameApi;

/// <summary>How a <see cref="GameClient"/> treats its connection.</summary>
public sealed record GameClientOptions
{
    /// <summary>
    /// How long the game may be silent while an answer is due before it counts as hanging: 60 s where nothing else is
    /// said.
    /// </summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>The same while it loads a map (create, join, restart, a replay), where that is longer: 120 s.</summary>
    public TimeSpan LoadTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>The longest answer that is taken, in bytes.</summary>
    public int LongestMessage { get; init; } = 256 * 1024 * 1024;

    /// <summary>
    /// Asked when the connection broke: what happened to the game (its exit code, its last lines), or null.
    /// </summary>
    public Func<Task<string?>>? Explain { get; init; }
}
