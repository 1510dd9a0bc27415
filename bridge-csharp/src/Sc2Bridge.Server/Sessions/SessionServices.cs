using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>What all sessions share.</summary>
/// <param name="Hub">What agents subscribe to.</param>
/// <param name="Calls">Answers calls.</param>
/// <param name="Shared">What compressing subscribers of all transports share.</param>
/// <param name="Admission">Says who may subscribe, and how much may be said.</param>
/// <param name="Room">The memory of clients' requests.</param>
/// <param name="UnreadTimeout">How long a client may leave a message unread after its subscription has ended.</param>
/// <param name="Logger">Where defects are logged.</param>
internal sealed record SessionServices(
    Hub Hub, BridgeCalls Calls, SharedCompression Shared, ConnectionAdmission Admission, RequestRoom Room, TimeSpan UnreadTimeout,
    ILogger Logger);
