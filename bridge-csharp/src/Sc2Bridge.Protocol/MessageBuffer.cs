using System.Buffers;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Protocol;

/// <summary>
/// A pooled buffer that one message is received into, shared by reference count. <see cref="Headroom"/> bytes in front
/// of the message stay free, so that an envelope can be written right before the bytes without moving them.
/// </summary>
/// <remarks>
/// Writing is for one thread; once written, the bytes do not change. The buffer goes back to its pool when the last
/// <see cref="Release"/> is called; in Debug it is poisoned then.
/// </remarks>
public sealed class MessageBuffer : IBufferWriter<byte>, ILeased
{
    /// <summary>Bytes kept free in front of the message.</summary>
    public const int Headroom = 512;

    private const int SmallestSize = 4096;

    // Not the process' own pool, which keeps what a crowd has used for good. Longer arrays are not kept, and where all of a
    // size are out the next size is taken: so many that a queue of frames does not come so far.
    private const int LongestKept = 2 << 20;
    private const int MostKept = 16_384;
    private static volatile ArrayPool<byte> _pool = NewPool();

    private byte[] _bytes;
    private Action<int>? _released;
    private int _end = Headroom;
    private int _head;
    private int _references = 1;

    private MessageBuffer(int capacity)
    {
        _bytes = _pool.Rent(Headroom + Math.Max(capacity, SmallestSize));
    }

    /// <summary>Lets go of the memory that is kept for buffers to come.</summary>
    public static void Trim() => _pool = NewPool();

    /// <summary>A new buffer, held once by the caller.</summary>
    /// <param name="capacity">The expected length of the message in bytes; it grows where that is too little.</param>
    public static MessageBuffer Rent(int capacity = SmallestSize) => new(capacity);

    /// <summary>The whole array, headroom included: offset <see cref="Headroom"/> is the message's first byte.</summary>
    public byte[] Array
    {
        get
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _references) <= 0, this);
            return _bytes;
        }
    }

    /// <inheritdoc/>
    public int Capacity => _bytes.Length;

    /// <summary>Bytes written.</summary>
    public int Length => _end - Headroom;

    /// <summary>The message.</summary>
    public ReadOnlyMemory<byte> Written => Array.AsMemory(Headroom, Length);

    /// <summary>The message, with what was written right before it.</summary>
    public ReadOnlyMemory<byte> WithHead => Array.AsMemory((Headroom - _head).._end);

    /// <summary>Tells of the last release, with the bytes of memory that are free again; for a buffer that grows no more.</summary>
    public void WhenReleased(Action<int> tell) => _released = tell;

    /// <summary>Something was written right before the message.</summary>
    /// <param name="start">Where it begins, as an offset in <see cref="Array"/>.</param>
    public void SetHead(int start)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(start, Headroom);
        _head = Headroom - start;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - _end);
        _end += count;
    }

    /// <summary>Forgets what was written, to write anew; for who alone holds the buffer.</summary>
    public void Clear() => Truncate(0);

    /// <summary>Forgets what was written behind the first bytes.</summary>
    /// <param name="length">How many bytes stay.</param>
    /// <exception cref="InvalidOperationException">Somebody else holds the buffer and may read it.</exception>
    public void Truncate(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Length);
        if (Volatile.Read(ref _references) != 1)
        {
            throw new InvalidOperationException("Only a buffer that nobody else holds can be written anew.");
        }

        _end = Headroom + length;
        _head = 0;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsMemory(_end);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsSpan(_end);
    }

    /// <summary>Holds the buffer once more.</summary>
    /// <exception cref="ObjectDisposedException">It has already gone back to its pool.</exception>
    public void Retain()
    {
        if (Interlocked.Increment(ref _references) <= 1)
        {
            Interlocked.Decrement(ref _references);
            throw new ObjectDisposedException(nameof(MessageBuffer));
        }
    }

    /// <summary>Releases one hold.</summary>
    /// <exception cref="ObjectDisposedException">It was released more often than it was held.</exception>
    public void Release()
    {
        var left = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(left < 0, this);
        if (left == 0)
        {
            var bytes = _bytes;
            _bytes = [];
            Poison(bytes);
            _pool.Return(bytes);
            _released?.Invoke(bytes.Length);
        }
    }

    // For the writer of fields: no checks but that there is room.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Span<byte> Room(int needed)
    {
        if (_bytes.Length - _end < needed)
        {
            Grow(needed);
        }

        return _bytes.AsSpan(_end);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Take(int count) => _end += count;

    internal Span<byte> From(int offset) => _bytes.AsSpan(Headroom + offset);

    private static ArrayPool<byte> NewPool() => ArrayPool<byte>.Create(LongestKept, MostKept);

    [System.Diagnostics.Conditional("DEBUG")]
    private static void Poison(byte[] bytes) => bytes.AsSpan().Fill(0xDB);

    private void Reserve(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        Room(Math.Max(sizeHint, 1));
    }

    private void Grow(int needed)
    {
        var larger = _pool.Rent(Math.Max(checked(_end + needed), _bytes.Length * 2));
        _bytes.AsSpan(0, _end).CopyTo(larger);
        var old = _bytes;
        _bytes = larger;
        Poison(old);
        _pool.Return(old);
    }
}
