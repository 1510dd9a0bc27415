using System.Threading.Channels;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Raises events in order on its own thread, so the live path never waits for a listener. The queue is limited in events and
/// bytes, because the actions of one agent can take a MiB. An event that does not fit is lost.
/// </summary>
/// <remarks>
/// The queue has its own thread, because a listener that waits for a terminal or a disk would block one of the
/// transports' pool threads.
/// </remarks>
/// <param name="path">Catches the exceptions of listeners, and counts lost events.</param>
/// <param name="memory">Counts the memory of the queued events.</param>
internal sealed class EventQueue(SidePath path, MemoryLedger memory) : IDisposable
{
    /// <summary>
    /// The most queued events. Ten agents that each report 400 steps a second, to the log and to the meters, fill the queue in five seconds.
    /// </summary>
    public const int MostEvents = 40_000;

    /// <summary>The most bytes of queued events.</summary>
    public const long MostBytes = 32 << 20;

    // How many vital events may be queued above the limit of events.
    private const int MostVitalEvents = 10_000;

    private readonly Channel<(Action Raise, int Bytes)> _events = Channel.CreateBounded<(Action Raise, int Bytes)>(
        new BoundedChannelOptions(MostEvents + MostVitalEvents) { SingleReader = true });

    private long _queuedBytes;
    private int _isStarted;
    private volatile bool _isClosed;

    /// <summary>Queues an event.</summary>
    /// <param name="raise">Raises the event.</param>
    /// <param name="bytes">The approximate memory of the event.</param>
    /// <param name="isVital">Whether the event may use the room that is reserved for vital events. Only for small events.</param>
    public void Add(Action raise, int bytes, bool isVital = false)
    {
        if (_isClosed)
        {
            return;
        }

        Start();
        var hasRoom = AddBytes(bytes) <= MostBytes && _events.Reader.Count < MostEvents;
        if (!(hasRoom || isVital) || !_events.Writer.TryWrite((raise, bytes)))
        {
            AddBytes(-bytes);
            path.ReportLoss(1, "events were lost: a listener handles them too slowly");
        }
    }

    /// <summary>Completes when every event that is queued now has been raised.</summary>
    public async Task FlushAsync()
    {
        Start();
        var flushed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            await _events.Writer.WriteAsync((flushed.SetResult, 0)).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            return;
        }

        await flushed.Task.ConfigureAwait(false);
    }

    /// <summary>Raises no more events. An event that is being raised still completes.</summary>
    public void Dispose()
    {
        _isClosed = true;
        _events.Writer.TryComplete();
    }

    private long AddBytes(int bytes)
    {
        memory.Add(MemoryAccount.Log, bytes);
        return Interlocked.Add(ref _queuedBytes, bytes);
    }

    // Starts the thread with the first event, because most hubs in tests raise none.
    private void Start()
    {
        if (Interlocked.Exchange(ref _isStarted, 1) == 0)
        {
            new Thread(Run) { IsBackground = true, Name = "hub events" }.Start();
        }
    }

    private void Run()
    {
        while (_events.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
        {
            while (_events.Reader.TryRead(out var next))
            {
                AddBytes(-next.Bytes);
                if (!_isClosed || next.Bytes == 0)
                {
                    path.Try(next.Raise, static raise => raise());
                }
            }
        }
    }
}
