namespace Sc2Bridge.Games;

/// <summary>How a <see cref="GameClient"/> treats its connection.</summary>
public sealed record GameClientOptions
{
    /// <summary>
    /// How long the game may be silent while an answer is due before it counts as hanging. Loading a map is the longest
    /// of its answers.
    /// </summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>The longest answer that is taken, in bytes.</summary>
    public int LongestMessage { get; init; } = 256 * 1024 * 1024;

    /// <summary>
    /// Asked when the connection broke: what happened to the game (its exit code, its last lines), or null.
    /// </summary>
    public Func<Task<string?>>? Explain { get; init; }

    /// <summary>Told of every warning: an error that the game put beside a body.</summary>
    public Action<string>? Warned { get; init; }
}
