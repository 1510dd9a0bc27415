using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>What a transport knows about a subscriber, in addition to its request.</summary>
/// <param name="Transport">The transport's name in tables and logs, such as <c>grpc</c>, <c>ws.proto</c>, <c>ws.json</c> or <c>log</c>.</param>
/// <param name="DeliverInline">
/// Whether the code that reads frames may continue on the publisher's thread, which saves a thread switch. True only if this code
/// passes the bytes on and returns, or compresses them once for all subscribers (binary, group zstd). False if this code makes
/// text or compresses for a single client.
/// </param>
/// <param name="Internal">
/// True for the bridge's own subscribers, such as the log and a recorder. These are offered each frame after all other subscribers.
/// <see cref="Hub.WaitForSubscribersAsync"/> and the log's column <c>subscribers</c> do not count these subscribers.
/// </param>
/// <param name="OnOffered">
/// Called with each frame when the frame is offered, in the order of publication and before the frame can be read. Subscribers
/// that compress frames in order need this. The callback runs on the publisher's thread and must return at once. Among lockstep
/// subscribers, and among inline subscribers, these subscribers get the offer last; see <see cref="OfferOrder"/>.
/// </param>
/// <param name="EveryPerspective">
/// True to get the frames of every perspective in the order of publication, even if the request names one perspective. The log
/// and the recorder use this.
/// </param>
/// <param name="PauseBytes">
/// Returns the number of queued bytes above which the game pauses, if a full queue pauses the game. The function runs on any thread
/// and must return at once. If it is null, the request's limit applies.
/// </param>
/// <param name="TransportBytes">The memory of the subscriber's stream and buffers, in bytes. It is charged even while the buffers are empty.</param>
/// <param name="Identity">The client; null for the bridge's own subscribers.</param>
public readonly record struct SubscriberInfo(
    string Transport, bool DeliverInline, bool Internal = false, Action<ObservationFrame>? OnOffered = null,
    bool EveryPerspective = false, Func<long>? PauseBytes = null, int TransportBytes = 0, Identity? Identity = null)
{
    /// <summary>The client; anonymous if <see cref="Identity"/> is null.</summary>
    public Identity IdentityOrAnonymous => Identity ?? Identity.Anonymous;
}
