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
/// <param name="Offered">
/// Called with each frame as it is offered, in the order of publication and before the reader can take it, for readers
/// that compress frames in order. It runs on the publisher's thread and must return at once. Such readers are offered a
/// frame after the others of their rank.
/// </param>
/// <param name="EveryPerspective">
/// True to be offered the frames of every perspective, in the order of publication, whatever the request names: for
/// the log and the recorder.
/// </param>
public readonly record struct SubscriberInfo(
    string Transport, bool DeliverInline, bool Internal = false, Action<ObservationFrame>? Offered = null,
    bool EveryPerspective = false);

/// <summary>One subscriber's state at one moment.</summary>
/// <param name="Name">Unique among the hub's subscribers.</param>
/// <param name="Transport">As of <see cref="SubscriberInfo"/>.</param>
/// <param name="Policy">Never unspecified.</param>
/// <param name="Perspective">Null until a match is announced, where the request did not name one.</param>
/// <param name="Behind">Frames that wait for it.</param>
/// <param name="BehindBytes">Their bytes, as protobuf events.</param>
/// <param name="Delivered">Frames handed to its reader so far.</param>
/// <param name="Dropped">Frames it never got: skipped, or still queued when the subscription ended.</param>
/// <param name="LastStep">The newest step handed to its reader; null before the first.</param>
/// <param name="Internal">One of the bridge's own.</param>
/// <param name="HasEnded">Nothing follows but what is queued, and the last event.</param>
public readonly record struct SubscriberState(
    string Name,
    string Transport,
    V1.Policy Policy,
    uint? Perspective,
    int Behind,
    long BehindBytes,
    long Delivered,
    long Dropped,
    ulong? LastStep,
    bool Internal,
    bool HasEnded);
