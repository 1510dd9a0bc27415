using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>What is to be recorded beside observations, from any thread; bounded in bytes. Thread-safe.</summary>
internal sealed class RowQueue(long mostBytes)
{
    // What a row takes beside its message.
    private const int Overhead = 100;

    private readonly Lock _lock = new();
    private readonly Queue<Row> _rows = new();
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

    public void Add(LoggedStep step) => Add(new Row(step.Record.CalculateSize()) { Step = step });

    public void Add(AgentRequest request) => Add(new Row(request.Record.CalculateSize()) { Request = request });

    public void Add(ActionReport deed) => Add(new Row(deed.Record.CalculateSize()) { Deed = deed });

    /// <summary>Takes what waits, in its order.</summary>
    /// <param name="to">Gets it.</param>
    /// <param name="nowNs">See there.</param>
    public void WriteTo(RecordingWriter to, long nowNs)
    {
        while (TryTake(out var row))
        {
            if (row.Step.Record is not null)
            {
                to.Add(row.Step, nowNs);
            }
            else if (row.Request.Record is not null)
            {
                to.Add(row.Request);
            }
            else
            {
                to.Add(row.Deed);
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

    private void Add(Row row)
    {
        var bytes = row.MessageBytes + Overhead;
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
            _rows.Enqueue(row);
        }
    }

    private bool TryTake(out Row row)
    {
        lock (_lock)
        {
            var taken = _rows.TryDequeue(out row);
            _bytes -= taken ? row.MessageBytes + Overhead : 0;
            return taken;
        }
    }

    // One of the three.
    private readonly record struct Row(int MessageBytes)
    {
        public LoggedStep Step { get; init; }

        public AgentRequest Request { get; init; }

        public ActionReport Deed { get; init; }
    }
}
