namespace Sc2Bridge.Admission;

/// <summary>What all clients of a process may cost together, and those of one address.</summary>
public sealed record AdmissionLimits
{
    /// <summary>The most connections of all listeners.</summary>
    public int Connections { get; init; } = 10_000;

    /// <summary>The most connections of one address; null: all of them from this machine, half of them from others.</summary>
    public int? ConnectionsPerAddress { get; init; }

    /// <summary>The most HTTP/2 streams of one connection.</summary>
    public int StreamsPerConnection { get; init; } = 100;

    /// <summary>The most subscriptions.</summary>
    public int Subscriptions { get; init; } = 1_024;

    /// <summary>The most subscriptions of one address; null: all of them from this machine, half of them from others.</summary>
    public int? SubscriptionsPerAddress { get; init; }
}
