namespace Sc2Bridge.Streaming;

/// <summary>The health of the bridge.</summary>
public enum HealthState
{
    /// <summary>The bridge works well.</summary>
    Serving,

    /// <summary>The bridge works, but less well than it should.</summary>
    Degraded,

    /// <summary>Clients should not subscribe: the last match has ended, or the bridge stops.</summary>
    NotServing,
}

/// <summary>The health of the bridge at one moment.</summary>
/// <param name="State">The state.</param>
/// <param name="Reasons">Why the bridge is degraded or not serving, one line each.</param>
public sealed record BridgeHealth(HealthState State, IReadOnlyList<string> Reasons);
