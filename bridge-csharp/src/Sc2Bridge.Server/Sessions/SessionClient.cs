using System.Net;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>The client of a session.</summary>
/// <param name="Identity">The client's identity and permissions.</param>
/// <param name="Address">The client's address; null on a Unix socket.</param>
/// <param name="Admit">
/// Counts a message outside a subscription. Throws <see cref="Streaming.RequestRefusedException"/> if the limit is exceeded.
/// </param>
/// <param name="HasPlace">Whether a place for a subscription is already reserved for the client.</param>
/// <param name="Memory">The client's shared memory; null if the client has none.</param>
internal sealed record SessionClient(
    Identity Identity, IPAddress? Address, Action Admit, bool HasPlace = false, SharedWindow? Memory = null);
