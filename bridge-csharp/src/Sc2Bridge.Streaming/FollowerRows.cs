using System.Threading.Channels;
using Google.Protobuf;

namespace Sc2Bridge.Streaming;

/// <summary>The bounded queue of a follower's rows. Any thread may add rows; the follower's thread writes them.</summary>
/// <param name="memory">Counts the memory of the queued rows.</param>
/// <param name="maxQueuedBytes">The most bytes that the queue may hold.</param>
internal sealed class FollowerRows(MemoryLedger memory, long maxQueuedBytes)
{
    // The memory of a row in addition to its message.
    private const int RowOverheadBytes = 100;

    private readonly Channel<(Action Write, int Bytes)> _rows =
        Channel.CreateUnbounded<(Action, int)>(new() { SingleReader = true });

    private long _queuedBytes;
    private long _missingRows;

    public long MissingCount => Interlocked.Read(ref _missingRows);

    /// <summary>Adds a row. If the queue is full, the row is dropped and counted as missing.</summary>
    /// <param name="record">The row's message, for its size.</param>
    /// <param name="write">Writes the row.</param>
    public void Add(IMessage record, Action write)
    {
        var bytes = record.CalculateSize() + RowOverheadBytes;
        if (Charge(bytes) > maxQueuedBytes || !_rows.Writer.TryWrite((write, bytes)))
        {
            Charge(-bytes);
            CountMissing();
        }
    }

    public void CountMissing() => Interlocked.Increment(ref _missingRows);

    /// <summary>Writes the queued rows.</summary>
    public void WriteQueued()
    {
        while (_rows.Reader.TryRead(out var row))
        {
            Charge(-row.Bytes);
            row.Write();
        }
    }

    /// <summary>Accepts no more rows.</summary>
    public void Close() => _rows.Writer.TryComplete();

    private long Charge(int bytes)
    {
        memory.Add(MemoryAccount.Recorder, bytes);
        return Interlocked.Add(ref _queuedBytes, bytes);
    }
}
