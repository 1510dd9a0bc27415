using System.Buffers;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Protocol;

/// <summary>
/// A pooled, reference-counted buffer for one message. <see cref="Headroom"/> bytes in front
/// of the message stay free, so that an envelope can be written there without moving the message.
/// </summary>
/// <remarks>
/// Only one thread may write. After writing, the bytes do not change. The last
/// <see cref="Release"/> returns the buffer to its pool; in Debug builds it also overwrites the bytes.
/// </remarks>
public sealed class MessageBuffer : IBufferWriter<byte>, ILeased
{
    /// <summary>The number of bytes that stay free in front of the message.</summary>
    public const int Headroom = 512;

    private const int SmallestSize = 4096;

    // ArrayPool.Shared is not used, because it would keep the memory of a peak for ever. Arrays longer than
    // LongestKeptArray are not pooled. If all arrays of a size are rented, the pool returns the next larger size.
    // MostKeptArrays is so high that a queue of frames needs fewer arrays.
    private const int LongestKeptArray = 2 << 20;
    private const int MostKeptArrays = 16_384;
    private static volatile ArrayPool<byte> _pool = NewPool();

    private byte[] _bytes;
    private Action<int>? _onReleased;
    private int _endOffset = Headroom;
    private int _headLength;
    private int _references = 1;

    private MessageBuffer(int capacity)
    {
        _bytes = _pool.Rent(Headroom + Math.Max(capacity, SmallestSize));
    }

    /// <summary>Frees the pooled memory that no buffer uses.</summary>
    public static void Trim() => _pool = NewPool();

    /// <summary>Creates a buffer with one reference, which the caller owns.</summary>
    /// <param name="capacity">The expected length of the message in bytes. The buffer grows if the message is longer.</param>
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

    /// <summary>The number of bytes written.</summary>
    public int Length => _endOffset - Headroom;

    /// <summary>The message.</summary>
    public ReadOnlyMemory<byte> Written => Array.AsMemory(Headroom, Length);

    /// <summary>The message and its head. The head is the bytes that were written in front of the message.</summary>
    public ReadOnlyMemory<byte> WithHead => Array.AsMemory((Headroom - _headLength).._endOffset);

    /// <summary>
    /// Sets a callback for the last release. The callback gets the number of freed bytes. The buffer must not grow
    /// afterwards.
    /// </summary>
    public void SetReleaseCallback(Action<int> callback) => _onReleased = callback;

    /// <summary>Marks the head: the bytes that were written in front of the message.</summary>
    /// <param name="start">The head's first byte, as an offset in <see cref="Array"/>.</param>
    public void SetHead(int start)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(start);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(start, Headroom);
        _headLength = Headroom - start;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - _endOffset);
        _endOffset += count;
    }

    /// <summary>Discards all bytes, so that the buffer can be written again. The caller must hold the only reference.</summary>
    public void Clear() => Truncate(0);

    /// <summary>Discards the bytes after the given length.</summary>
    /// <param name="length">The number of bytes to keep.</param>
    /// <exception cref="InvalidOperationException">The buffer has another reference, whose owner may read the buffer.</exception>
    public void Truncate(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, Length);
        if (Volatile.Read(ref _references) != 1)
        {
            throw new InvalidOperationException("The buffer cannot be written again while other references to it exist: release them first.");
        }

        _endOffset = Headroom + length;
        _headLength = 0;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsMemory(_endOffset);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _bytes.AsSpan(_endOffset);
    }

    /// <summary>Adds a reference.</summary>
    /// <exception cref="ObjectDisposedException">The buffer was already returned to its pool.</exception>
    public void Retain()
    {
        if (Interlocked.Increment(ref _references) <= 1)
        {
            Interlocked.Decrement(ref _references);
            throw new ObjectDisposedException(nameof(MessageBuffer));
        }
    }

    /// <summary>Drops a reference.</summary>
    /// <exception cref="ObjectDisposedException">The buffer was released more often than it was retained.</exception>
    public void Release()
    {
        var remaining = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(remaining < 0, this);
        if (remaining == 0)
        {
            var bytes = _bytes;
            _bytes = [];
            Poison(bytes);
            _pool.Return(bytes);
            _onReleased?.Invoke(bytes.Length);
        }
    }

    // For WireWriter: grows the buffer if necessary, but does not check the argument.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Span<byte> GetSpanUnchecked(int needed)
    {
        if (_bytes.Length - _endOffset < needed)
        {
            Grow(needed);
        }

        return _bytes.AsSpan(_endOffset);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void AdvanceUnchecked(int count) => _endOffset += count;

    internal Span<byte> SpanFrom(int offset) => _bytes.AsSpan(Headroom + offset);

    private static ArrayPool<byte> NewPool() => ArrayPool<byte>.Create(LongestKeptArray, MostKeptArrays);

    [System.Diagnostics.Conditional("DEBUG")]
    private static void Poison(byte[] bytes) => bytes.AsSpan().Fill(0xDB);

    private void Reserve(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        GetSpanUnchecked(Math.Max(sizeHint, 1));
    }

    private void Grow(int needed)
    {
        var larger = _pool.Rent(Math.Max(checked(_endOffset + needed), _bytes.Length * 2));
        _bytes.AsSpan(0, _endOffset).CopyTo(larger);
        var old = _bytes;
        _bytes = larger;
        Poison(old);
        _pool.Return(old);
    }
}
