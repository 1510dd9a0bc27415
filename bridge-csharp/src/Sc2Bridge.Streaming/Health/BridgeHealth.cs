namespace Sc2Bridge.Streaming;

/// <summary>Whether the bridge does what it is for.</summary>
public enum HealthState
{
    /// <summary>It does.</summary>
    Serving,

    /// <summary>It does, but not as well as it should.</summary>
    Degraded,

    /// <summary>Nobody need subscribe: the last match is over, or the bridge stops.</summary>
    NotServing,
}

/// <summary>How the bridge does at one moment.</summary>
/// <param name="State">In a word.</param>
/// <param name="Reasons">Why it is not serving as it should, a line each.</param>
public sealed record BridgeHealth(HealthState State, IReadOnlyList<string> Reasons);
