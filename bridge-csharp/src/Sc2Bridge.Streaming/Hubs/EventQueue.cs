using System.Threading.Channels;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Raises events on a thread of its own, in their order, so that the live path never waits for a listener. Bounded, in
/// bytes too, as an agent's actions can be a MiB each; an event that finds no room is lost.
/// </summary>
/// <remarks>A thread, not a task of the pool: a listener that waits for a terminal or a disk would hold one of the
/// transports' threads.</remarks>
/// <param name="path">Contains exceptions of listeners; counts lost events.</param>
/// <param name="memory">Charged with what waits.</param>
internal sealed class EventQueue(SidePath path, MemoryLedger memory) : IDisposable
{
    /// <summary>
    /// Events that may wait: five seconds of ten agents that report 400 steps a second, to the log and to the meters.
    /// </summary>
    public const int MostEvents = 40_000;

    /// <summary>Their bytes.</summary>
    public const long MostBytes = 32 << 20;

    // Further vital events that may wait.
    private const int MostVital = 10_000;

    private readonly Channel<(Action Tell, int Bytes)> _waiting = Channel.CreateBounded<(Action Tell, int Bytes)>(
        new BoundedChannelOptions(MostEvents + MostVital) { SingleReader = true });

    private long _bytes;
    private int _started;
    private volatile bool _closed;

    /// <summary>Queues an event.</summary>
    /// <param name="tell">Raises it.</param>
    /// <param name="bytes">About how much memory it holds.</param>
    /// <param name="isVital">Whether it has room that other events cannot use up. Only for small events.</param>
    public void Add(Action tell, int bytes, bool isVital = false)
    {
        if (_closed)
        {
            return;
        }

        Start();
        var hasRoom = Count(bytes) <= MostBytes && _waiting.Reader.Count < MostEvents;
        if (!(hasRoom || isVital) || !_waiting.Writer.TryWrite((tell, bytes)))
        {
            Count(-bytes);
            path.Lose(1, "events were lost: who listens takes them too slowly");
        }
    }

    /// <summary>Completes when every event queued so far was raised.</summary>
    public async Task FlushAsync()
    {
        Start();
        var told = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            await _waiting.Writer.WriteAsync((told.SetResult, 0)).ConfigureAwait(false);
        }
        catch (ChannelClosedException)
        {
            return;
        }

        await told.Task.ConfigureAwait(false);
    }

    /// <summary>Raises no more events; one that is being raised still completes.</summary>
    public void Dispose()
    {
        _closed = true;
        _waiting.Writer.TryComplete();
    }

    private long Count(int bytes)
    {
        memory.Add(MemoryAccount.Log, bytes);
        return Interlocked.Add(ref _bytes, bytes);
    }

    // With the first event: most hubs in tests raise none.
    private void Start()
    {
        if (Interlocked.Exchange(ref _started, 1) == 0)
        {
            new Thread(Run) { IsBackground = true, Name = "hub events" }.Start();
        }
    }

    private void Run()
    {
        while (_waiting.Reader.WaitToReadAsync().AsTask().GetAwaiter().GetResult())
        {
            while (_waiting.Reader.TryRead(out var next))
            {
                Count(-next.Bytes);
                if (!_closed || next.Bytes == 0)
                {
                    path.Try(next.Tell, static tell => tell());
                }
            }
        }
    }
}
