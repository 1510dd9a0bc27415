using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>The services that all sessions share.</summary>
/// <param name="Hub">The hub that agents subscribe to.</param>
/// <param name="Calls">Executes calls.</param>
/// <param name="Compression">The compression state that the subscribers of all transports share.</param>
/// <param name="Admission">Decides which clients may subscribe, and limits messages.</param>
/// <param name="RequestRoom">Limits the memory of clients' requests.</param>
/// <param name="UnreadTimeout">How long a client may leave a message unread after its subscription has ended.</param>
/// <param name="Logger">Logs defects.</param>
internal sealed record SessionServices(
    Hub Hub, BridgeCalls Calls, SharedCompression Compression, ConnectionAdmission Admission, RequestRoom RequestRoom, TimeSpan UnreadTimeout,
    ILogger Logger);
