using System.Threading.Channels;
using Google.Protobuf;

namespace Sc2Bridge.Streaming;

/// <summary>Rows from any thread, which wait for the thread that writes them, in bounded memory.</summary>
/// <param name="memory">Charged with them.</param>
/// <param name="mostBytes">The bytes that may wait.</param>
internal sealed class FollowerRows(MemoryLedger memory, long mostBytes)
{
    // Bytes of a row in addition to its message.
    private const int Overhead = 100;

    private readonly Channel<(Action Write, int Bytes)> _rows =
        Channel.CreateUnbounded<(Action, int)>(new() { SingleReader = true });

    private long _bytes;
    private long _missing;

    public long Missing => Interlocked.Read(ref _missing);

    /// <summary>Adds a row; if too many wait it is missing.</summary>
    /// <param name="record">Its message.</param>
    /// <param name="write">Writes it.</param>
    public void Add(IMessage record, Action write)
    {
        var bytes = record.CalculateSize() + Overhead;
        if (Charge(bytes) > mostBytes || !_rows.Writer.TryWrite((write, bytes)))
        {
            Charge(-bytes);
            CountMissing();
        }
    }

    public void CountMissing() => Interlocked.Increment(ref _missing);

    /// <summary>Writes the rows that wait.</summary>
    public void Write()
    {
        while (_rows.Reader.TryRead(out var row))
        {
            Charge(-row.Bytes);
            row.Write();
        }
    }

    /// <summary>Takes no more rows.</summary>
    public void Close() => _rows.Writer.TryComplete();

    private long Charge(int bytes)
    {
        memory.Add(MemoryAccount.Recorder, bytes);
        return Interlocked.Add(ref _bytes, bytes);
    }
}
