using System.Buffers;
using System.Collections.Concurrent;
using Microsoft.AspNetCore.Connections;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// A memory pool for Kestrel with blocks of 64 KiB instead of 4 KiB. An observation of 160 KiB is then sent in three pieces
/// instead of forty, without allocating the arrays that describe the pieces (1 KB per send).
/// </summary>
internal sealed class LargeBlockPool : MemoryPool<byte>
{
    public const int BlockSize = 64 << 10;

    // The most idle blocks that are kept for the next burst: 128 MiB, the most that 64 slow clients buffer.
    // Further blocks are left to the garbage collector.
    private const int MostIdle = 2048;

    private readonly ConcurrentQueue<Block> _idle = new();
    private readonly MemoryLedger? _memory;
    private int _rented;

    /// <param name="memory">Counts the memory of the rented blocks; null for no count.</param>
    public LargeBlockPool(MemoryLedger? memory)
    {
        _memory = memory;
        if (memory is not null)
        {
            memory.Trimming += _idle.Clear;
        }
    }

    public override int MaxBufferSize => BlockSize;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, BlockSize);
        var block = _idle.TryDequeue(out var found) ? found : new Block(this);
        block.IsRented = true;
        AddRented(1);
        return block;
    }

    protected override void Dispose(bool disposing)
    {
        _idle.Clear();
        AddRented(-Volatile.Read(ref _rented));
        if (_memory is not null)
        {
            _memory.Trimming -= _idle.Clear;
        }
    }

    private void AddRented(int blocks)
    {
        Interlocked.Add(ref _rented, blocks);
        _memory?.Add(MemoryAccount.Connections, blocks * (long)BlockSize);
    }

    private sealed class Block(LargeBlockPool pool) : IMemoryOwner<byte>
    {
        // The array is not pinned, because .NET's heap of pinned objects would keep the memory after the requests of many clients have ended.
        private readonly byte[] _bytes = GC.AllocateUninitializedArray<byte>(BlockSize);

        public bool IsRented { get; set; }

        public Memory<byte> Memory => _bytes;

        public void Dispose()
        {
            if (!IsRented)
            {
                return;
            }

            IsRented = false;
            pool.AddRented(-1);
            if (pool._idle.Count < MostIdle)
            {
                pool._idle.Enqueue(this);
            }
        }
    }

    /// <summary>Creates these pools for Kestrel.</summary>
    /// <param name="memory">Counts the memory of the rented blocks; null for no count.</param>
    internal sealed class Factory(MemoryLedger? memory) : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new LargeBlockPool(memory);
    }
}
