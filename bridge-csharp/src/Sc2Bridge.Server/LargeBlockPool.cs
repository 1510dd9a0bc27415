using System.Buffers;
using System.Collections.Concurrent;
using Microsoft.AspNetCore.Connections;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Kestrel's memory in blocks of 64 KiB instead of 4: an observation of 160 KiB then is handed to the socket in three
/// pieces, not in forty, and the arrays that describe the pieces (1 KB a send) are not made.
/// </summary>
internal sealed class LargeBlockPool : MemoryPool<byte>
{
    public const int BlockSize = 64 << 10;

    // Kept for the next burst: 128 MiB, the most that 64 readers that fall behind have buffered.
    // Blocks beyond that go to the garbage collector.
    private const int MostIdle = 2048;

    private readonly ConcurrentQueue<Block> _idle = new();
    private readonly MemoryLedger? _memory;
    private int _rented;

    /// <param name="memory">Charged with what connections hold; null: nothing is.</param>
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
        Count(1);
        return block;
    }

    protected override void Dispose(bool disposing)
    {
        _idle.Clear();
        Count(-Volatile.Read(ref _rented));
        if (_memory is not null)
        {
            _memory.Trimming -= _idle.Clear;
        }
    }

    private void Count(int blocks)
    {
        Interlocked.Add(ref _rented, blocks);
        _memory?.Add(MemoryAccount.Connections, blocks * (long)BlockSize);
    }

    private sealed class Block(LargeBlockPool pool) : IMemoryOwner<byte>
    {
        // Not pinned: the heap of pinned objects would keep what a crowd's requests once took.
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
            pool.Count(-1);
            if (pool._idle.Count < MostIdle)
            {
                pool._idle.Enqueue(this);
            }
        }
    }

    /// <summary>Gives Kestrel such pools.</summary>
    /// <param name="memory">Charged with what connections hold; null: nothing is.</param>
    internal sealed class Factory(MemoryLedger? memory) : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new LargeBlockPool(memory);
    }
}
