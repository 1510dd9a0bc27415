using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Zstd;

/// <summary>
/// The blocks of one group of group zstd, kept while a frame of the group may still be sent. The compressor holds a reference while the group grows.
/// Each frame with a block in the group holds a reference too. The last release frees the group. One thread adds blocks; any thread reads them.
/// </summary>
public sealed class Group
{
    private readonly GroupBlock[] _blocks = new GroupBlock[GroupLimits.Frames];
    private readonly Action<Group> _free;
    private int _count;
    private int _bytes;
    private int _references;

    internal Group(Action<Group> free)
    {
        _free = free;
        for (var index = 0; index < _blocks.Length; index++)
        {
            _blocks[index] = new GroupBlock(this, index);
        }
    }

    /// <summary>The group's number: unique in the bridge, and larger than the numbers of earlier groups.</summary>
    public ulong Number { get; private set; }

    /// <summary>Base 2 logarithm of the zstd window in bytes.</summary>
    public int WindowLog { get; private set; }

    /// <summary>The number of blocks so far.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Whether the next frame must start another group.</summary>
    internal bool IsFull => _count == _blocks.Length || _bytes >= GroupLimits.MostBytes;

    /// <summary>A block, by its index.</summary>
    public GroupBlock this[int index] => index < Count
        ? _blocks[index]
        : throw new ArgumentOutOfRangeException(nameof(index), index, $"The group has {Count} blocks.");

    /// <summary>Starts a new group in this object, with one reference.</summary>
    internal void Begin(ulong number, int windowLog)
    {
        (Number, WindowLog) = (number, windowLog);
        (_count, _bytes, _references) = (0, 0, 1);
    }

    internal GroupBlock NextBlock() => _blocks[_count];

    /// <summary>Adds the block of <see cref="NextBlock"/> to the group.</summary>
    internal void CommitNext()
    {
        var block = _blocks[_count];
        block.SetData();
        _bytes += block.Data.Length;
        Volatile.Write(ref _count, _count + 1);
    }

    internal void Retain() => Interlocked.Increment(ref _references);

    internal void Release()
    {
        var remaining = Interlocked.Decrement(ref _references);
        ObjectDisposedException.ThrowIf(remaining < 0, this);
        if (remaining == 0)
        {
            _free(this);
        }
    }

    /// <summary>Frees the memory.</summary>
    internal void FreeMemory()
    {
        foreach (var block in _blocks)
        {
            block.FreeMemory();
        }
    }
}

/// <summary>The compressed bytes of one frame in its group's stream.</summary>
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

    /// <summary>The block's group.</summary>
    public Group Group { get; }

    /// <summary>The index in the group, from 0.</summary>
    public int Index { get; }

    /// <summary>The decompressed size in bytes.</summary>
    public int Size { get; private set; }

    /// <summary>The compressed bytes. Valid while the group has references.</summary>
    public ReadOnlyMemory<byte> Data => Buffer.Written[.._dataLength];

    /// <summary>
    /// The message for subscribers that have all earlier blocks, made once and shared. In protobuf, the message contains the bytes of the
    /// data. In JSON, the message follows the data in the buffer. Valid while the group has references.
    /// </summary>
    internal ReadOnlyMemory<byte> Message => Buffer.Array.AsMemory(_messageStart.._messageEnd);

    /// <summary>The buffer with the data and the message, and headroom before them.</summary>
    internal MessageBuffer Buffer => _buffer ??= MessageBuffer.Rent();

    /// <inheritdoc/>
    public int Capacity => Buffer.Capacity;

    /// <inheritdoc/>
    public void Retain() => Group.Retain();

    /// <summary>Releases one reference.</summary>
    public void Release() => Group.Release();

    internal void Begin(int size)
    {
        Size = size;
        Buffer.Clear();
    }

    /// <summary>Sets <see cref="Data"/> to all bytes that the buffer contains now.</summary>
    internal void SetData() => _dataLength = Buffer.Length;

    /// <summary>Sets the position of the shared message in the buffer's array.</summary>
    internal void SetMessage(int start, int end) => (_messageStart, _messageEnd) = (start, end);

    internal void FreeMemory()
    {
        _buffer?.Release();
        _buffer = null;
    }
}
