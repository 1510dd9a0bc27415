using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// The blocks of one group, kept while frames of it may still be delivered. Held by its compressor while it grows and by
/// each frame that has a block in it; the last release gives it back. One thread adds, any reads what was added.
/// </summary>
public sealed class Group
{
    private readonly GroupBlock[] _blocks = new GroupBlock[GroupLimits.Frames];
    private readonly Action<Group> _free;
    private int _count;
    private int _bytes;
    private int _holds;

    internal Group(Action<Group> free)
    {
        _free = free;
        for (var index = 0; index < _blocks.Length; index++)
        {
            _blocks[index] = new GroupBlock(this, index);
        }
    }

    /// <summary>Unlike that of every other group of the bridge, and larger than those of earlier ones.</summary>
    public ulong Number { get; private set; }

    /// <summary>Base 2 logarithm of the stream's window in bytes.</summary>
    public int WindowLog { get; private set; }

    /// <summary>Blocks so far.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether the next frame begins another group.</summary>
    internal bool IsFull => _count == _blocks.Length || _bytes >= GroupLimits.MostBytes;

    /// <summary>A block that was added before.</summary>
    public GroupBlock this[int index] => index < Count
        ? _blocks[index]
        : throw new ArgumentOutOfRangeException(nameof(index), index, $"The group has {Count} blocks.");

    /// <summary>Begins it anew, held once.</summary>
    internal void Begin(ulong number, int windowLog)
    {
        (Number, WindowLog) = (number, windowLog);
        (_count, _bytes, _holds) = (0, 0, 1);
    }

    /// <summary>The block to fill next.</summary>
    internal GroupBlock Next() => _blocks[_count];

    /// <summary>That block is filled.</summary>
    internal void Added()
    {
        var block = _blocks[_count];
        block.SetData();
        _bytes += block.Data.Length;
        Volatile.Write(ref _count, _count + 1);
    }

    internal void Retain() => Interlocked.Increment(ref _holds);

    internal void Release()
    {
        var left = Interlocked.Decrement(ref _holds);
        ObjectDisposedException.ThrowIf(left < 0, this);
        if (left == 0)
        {
            _free(this);
        }
    }

    /// <summary>Gives its memory back.</summary>
    internal void Drop()
    {
        foreach (var block in _blocks)
        {
            block.Drop();
        }
    }
}

/// <summary>What one frame adds to its group's stream.</summary>
public sealed class GroupBlock : ILeased
{
    private MessageBuffer? _buffer;
    private int _dataLength;
    private int _messageStart;
    private int _messageEnd;

    internal GroupBlock(Group group, int index)
    {
        Group = group;
        Index = index;
    }

    /// <summary>Where it belongs.</summary>
    public Group Group { get; }

    /// <summary>Its place there, from 0.</summary>
    public int Index { get; }

    /// <summary>Bytes that it decompresses to.</summary>
    public int Size { get; private set; }

    /// <summary>The compressed bytes; valid while the group is held.</summary>
    public ReadOnlyMemory<byte> Data => Buffer.Written[.._dataLength];

    /// <summary>
    /// What a subscriber is sent that lacks nothing before it, made once for all of them: in protobuf written around the
    /// data; in JSON behind it. Valid while the group is held.
    /// </summary>
    internal ReadOnlyMemory<byte> Message => Buffer.Array.AsMemory(_messageStart.._messageEnd);

    /// <summary>The buffer that holds both, with headroom in front.</summary>
    internal MessageBuffer Buffer => _buffer ??= MessageBuffer.Rent();

    /// <inheritdoc/>
    public int Capacity => Buffer.Capacity;

    /// <inheritdoc/>
    public void Retain() => Group.Retain();

    /// <summary>Releases the hold that came with it.</summary>
    public void Release() => Group.Release();

    internal void Begin(int size)
    {
        Size = size;
        Buffer.Clear();
    }

    /// <summary>The data is all that the buffer holds.</summary>
    internal void SetData() => _dataLength = Buffer.Length;

    /// <summary>Where the shared message stands in the buffer's array.</summary>
    internal void SetMessage(int start, int end) => (_messageStart, _messageEnd) = (start, end);

    internal void Drop()
    {
        _buffer?.Release();
        _buffer = null;
    }
}
