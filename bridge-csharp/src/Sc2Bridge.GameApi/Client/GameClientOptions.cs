namespace Sc2Bridge.GameApi;

/// <summary>The limits of a <see cref="GameClient"/>'s connection.</summary>
public sealed record GameClientOptions
{
    /// <summary>
    /// If an answer is due and the game sends no data for this time, the game counts as hanging. Default: 60 s.
    /// </summary>
    public TimeSpan RequestTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// The timeout for requests that load a map (create, join, restart, replay), if longer than <see cref="RequestTimeout"/>. Default: 120 s.
    /// </summary>
    public TimeSpan LoadTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>The longest answer that is accepted, in bytes.</summary>
    public int LongestMessage { get; init; } = 256 * 1024 * 1024;

    /// <summary>
    /// Called when the connection breaks. Returns what happened to the game's process, or null.
    /// </summary>
    public Func<Task<GameExit?>>? Explain { get; init; }
}

/// <summary>What happened to a game's process.</summary>
/// <param name="Code">The exit code; 128 plus the signal's number if a signal ended it. Null if it still runs.</param>
/// <param name="Text">One line: how it ended, and its last lines.</param>
public sealed record GameExit(int? Code, string Text);
