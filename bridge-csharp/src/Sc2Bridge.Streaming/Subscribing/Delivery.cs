namespace Sc2Bridge.Streaming;

/// <summary>What a subscription hands to its reader: a frame or an event, exactly one of the two.</summary>
public readonly struct Delivery : IEquatable<Delivery>
{
    internal Delivery(ObservationFrame frame)
    {
        Frame = frame;
    }

    internal Delivery(V1.Event @event, bool isLast)
    {
        Event = @event;
        IsLast = isLast;
    }

    /// <summary>A frame, held for the reader until <see cref="Release"/>.</summary>
    public ObservationFrame? Frame { get; }

    /// <summary>Anything but a frame: an error, the match's end.</summary>
    public V1.Event? Event { get; }

    /// <summary>True where nothing follows: the match's end, or a fatal error.</summary>
    public bool IsLast { get; }

    /// <summary>The reader is done with the frame's bytes; to be called once for each delivery.</summary>
    public void Release() => Frame?.Release();

    /// <inheritdoc/>
    public bool Equals(Delivery other) =>
        ReferenceEquals(Frame, other.Frame) && ReferenceEquals(Event, other.Event) && IsLast == other.IsLast;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is Delivery other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Frame, Event, IsLast);

    /// <summary>The same objects.</summary>
    public static bool operator ==(Delivery left, Delivery right) => left.Equals(right);

    /// <summary>Not the same objects.</summary>
    public static bool operator !=(Delivery left, Delivery right) => !left.Equals(right);
}
