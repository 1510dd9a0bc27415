namespace Sc2Bridge.Protocol;

/// <summary>What a client may do.</summary>
[Flags]
public enum Roles
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>See the match: describe, query, and subscribe with a policy for which the game never waits.</summary>
    Watch = 1,

    /// <summary>Make the game wait until the client is ready: <c>lockstep</c>, and <c>every</c> with <c>pause</c>.</summary>
    Hold = 2,

    /// <summary>Play: actions and debug drawing.</summary>
    Play = 4,

    /// <summary>Control a playback, restart the match, and let the game download files.</summary>
    Control = 8,

    /// <summary>Everything.</summary>
    All = Watch | Hold | Play | Control,
}
