namespace Sc2Bridge.Protocol;

/// <summary>What a client may do.</summary>
[Flags]
public enum Roles
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>See the match without holding it: describe, subscribe without holding the game, query.</summary>
    Watch = 1,

    /// <summary>Hold the game: <c>lockstep</c>, and <c>every</c> with <c>pause</c>.</summary>
    Hold = 2,

    /// <summary>Play: actions and debug drawing.</summary>
    Play = 4,

    /// <summary>Control a playback.</summary>
    Control = 8,

    /// <summary>Everything.</summary>
    All = Watch | Hold | Play | Control,
}
