using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>What a transport says about a subscriber, beside its request.</summary>
/// <param name="Transport">For tables and logs: <c>grpc</c>, <c>ws.proto</c>, <c>ws.json</c>, <c>log</c> …</param>
/// <param name="DeliverInline">
/// The reader's continuation may run on the publisher's thread, which saves a hop between threads. Only for readers
/// that pass the bytes on and return, or compress them once for all (binary, group zstd); readers that make text or
/// compress for themselves alone set false.
/// </param>
/// <param name="Internal">
/// True for the bridge's own subscribers (the log, a recorder): they are offered each frame after all others, and are
/// not counted by <see cref="Hub.WaitForSubscribersAsync"/> nor in the log's <c>subscribers</c> column.
/// </param>
/// <param name="OnOffered">
/// Called with each frame as it is offered, in the order of publication and before the reader can take it, for readers
/// that compress frames in order. It runs on the publisher's thread and must return at once. Such readers are offered a
/// frame after the others of their rank.
/// </param>
/// <param name="EveryPerspective">
/// True to be offered the frames of every perspective, in the order of publication, whatever the request names: for
/// the log and the recorder.
/// </param>
/// <param name="PauseBytes">
/// Past how many queued bytes the game is paused, where a full queue means that; null: those that the request names. It
/// runs on any thread and must return at once.
/// </param>
/// <param name="TransportBytes">
/// What its stream and buffers take whether or not anything waits in them, in bytes: charged while it is subscribed.
/// </param>
/// <param name="Identity">Who it is; null: it needs to be nobody, as this program's own.</param>
public readonly record struct SubscriberInfo(
    string Transport, bool DeliverInline, bool Internal = false, Action<ObservationFrame>? OnOffered = null,
    bool EveryPerspective = false, Func<long>? PauseBytes = null, int TransportBytes = 0, Identity? Identity = null)
{
    /// <summary>Who it is.</summary>
    public Identity Who => Identity ?? Identity.Anonymous;
}
