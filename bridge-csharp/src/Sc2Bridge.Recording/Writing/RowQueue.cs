using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Recording.Writing;

/// <summary>What is to be recorded beside observations, from any thread; bounded in bytes. Thread-safe.</summary>
internal sealed class RowQueue(long mostBytes)
{
    // What a row takes beside its message.
    private const int Overhead = 100;

    private readonly Lock _lock = new();
    private readonly Queue<(LoggedStep Step, AgentRequest Request, int Bytes)> _rows = new();
    private long _bytes;
    private long _lost;
    private bool _closed;

    /// <summary>Rows for which there was no room.</summary>
    public long Lost
    {
        get
        {
            lock (_lock)
            {
                return _lost;
            }
        }
    }

    public void Add(LoggedStep step) => Add(step, default, step.Record.CalculateSize());

    public void Add(AgentRequest request) => Add(default, request, request.Record.CalculateSize());

    /// <summary>Takes what waits, in its order.</summary>
    /// <param name="to">Gets it.</param>
    /// <param name="nowNs">See there.</param>
    public void WriteTo(RecordingWriter to, long nowNs)
    {
        while (TryTake(out var step, out var request))
        {
            if (step.Record is not null)
            {
                to.Add(step, nowNs);
            }
            else
            {
                to.Add(request);
            }
        }
    }

    /// <summary>Drops what waits and what still comes.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _closed = true;
            _rows.Clear();
        }
    }

    private void Add(LoggedStep step, AgentRequest request, int messageBytes)
    {
        var bytes = messageBytes + Overhead;
        lock (_lock)
        {
            if (_closed)
            {
                return;
            }

            if (_bytes + bytes > mostBytes)
            {
                _lost++;
                return;
            }

            _bytes += bytes;
            _rows.Enqueue((step, request, bytes));
        }
    }

    private bool TryTake(out LoggedStep step, out AgentRequest request)
    {
        lock (_lock)
        {
            var taken = _rows.TryDequeue(out var row);
            (step, request, _) = row;
            _bytes -= row.Bytes;
            return taken;
        }
    }
}
