namespace Sc2Bridge.Streaming;

/// <summary>What a subscription hands to its reader: a frame or an event, exactly one of the two.</summary>
public readonly record struct Delivery
{
    internal Delivery(ObservationFrame frame, ReadOnlyMemory<byte> own = default) => (Frame, OwnFields) = (frame, own);

    internal Delivery(V1.PlayResponse @event, bool isLast) => (Event, IsLast) = (@event, isLast);

    /// <summary>A frame, held for the reader until <see cref="Release"/>.</summary>
    public ObservationFrame? Frame { get; }

    /// <summary>
    /// This subscriber's own fields of the envelope: <c>skipped</c> and <c>outcomes</c>, as serialized fields of
    /// <c>Frame</c>, or nothing. The frame's bytes are shared with the other subscribers.
    /// </summary>
    public ReadOnlyMemory<byte> OwnFields { get; }

    /// <summary>An event other than a frame: an error, the match's end.</summary>
    public V1.PlayResponse? Event { get; }

    /// <summary>True where nothing follows: the match's end, or a fatal error.</summary>
    public bool IsLast { get; }

    /// <summary>Releases the frame's bytes; to be called once for each delivery.</summary>
    public void Release() => Frame?.Release();
}
