using System.Net;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>Who is served.</summary>
/// <param name="Identity">What it may do.</param>
/// <param name="Address">Its address; null on a Unix socket.</param>
/// <param name="Admit">
/// Counts a message outside a subscription. Throws <see cref="Streaming.RequestRefusedException"/> if it is one too many.
/// </param>
/// <param name="HasPlace">Whether it has a subscriber's place already.</param>
/// <param name="Memory">The memory that it shares with the bridge; null: none.</param>
internal sealed record SessionClient(
    Identity Identity, IPAddress? Address, Action Admit, bool HasPlace = false, SharedWindow? Memory = null);
