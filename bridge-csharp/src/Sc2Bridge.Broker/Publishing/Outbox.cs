using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>A message and its stream.</summary>
/// <param name="Stream">The stream's index in the publisher's list.</param>
/// <param name="Message">The message.</param>
internal readonly record struct Outgoing(int Stream, StreamMessage Message)
{
    // The estimated memory of a message in addition to its body.
    private const int Overhead = 200;

    /// <summary>The estimated memory of the message, in bytes.</summary>
    internal int Bytes => Message.Body.Length + Overhead;
}

/// <summary>
/// The queue of messages for the broker. The first few MB stay in memory, and later messages go to a file. Memory and file have limits. Adding
/// a message never waits for the disk. Any thread may add messages; one thread removes them.
/// </summary>
internal sealed class Outbox : IAsyncDisposable
{
    private static readonly TimeSpan _retryDelay = TimeSpan.FromMilliseconds(50);

    private readonly Channel<Outgoing> _added = Channel.CreateUnbounded<Outgoing>(new() { SingleReader = true });
    private readonly Queue<Outgoing> _memory = [];
    private readonly Lock _lock = new();
    private readonly Spool _spool;
    private readonly SidePath _sidePath;
    private readonly long _maxUnstoredBytes;
    private readonly long _maxMemoryBytes;
    private readonly SemaphoreSlim _changed = new(0, 1);
    private readonly Task _storing;
    private long _unstoredBytes;
    private long _memoryBytes;
    private long _count;
    private volatile bool _isComplete;
    private bool _hasReportedDisk;

    /// <param name="spool">The file. The outbox disposes it.</param>
    /// <param name="path">Reports failures of the disk.</param>
    internal Outbox(Spool spool, SidePath path)
    {
        (_spool, _sidePath) = (spool, path);

        // The first limit is for added messages that StoreAddedAsync has not yet stored in memory or on disk. The second limit is for
        // messages in memory. Messages beyond the second limit go to the file.
        (_maxUnstoredBytes, _maxMemoryBytes) = (Math.Min(16 << 20, spool.MaxBytes), Math.Min(4 << 20, spool.MaxBytes));
        _storing = Task.Run(StoreAddedAsync);
    }

    internal bool HasRoom => Interlocked.Read(ref _unstoredBytes) < _maxUnstoredBytes;

    /// <summary>The number of queued messages.</summary>
    internal long Count => Interlocked.Read(ref _count);

    /// <summary>Whether no more messages will be added and all messages were removed.</summary>
    internal bool IsDrained => _isComplete && Count == 0;

    /// <summary>Adds a message. Check <see cref="HasRoom"/> first.</summary>
    internal void Add(Outgoing message)
    {
        Interlocked.Increment(ref _count);
        Interlocked.Add(ref _unstoredBytes, message.Bytes);
        if (!_added.Writer.TryWrite(message))
        {
            Interlocked.Decrement(ref _count);
        }
    }

    /// <summary>Marks the outbox as complete: no more messages will be added.</summary>
    internal void Complete() => _added.Writer.TryComplete();

    /// <summary>Removes the oldest message.</summary>
    /// <exception cref="SpoolException">The file cannot be read.</exception>
    internal bool TryDequeue([MaybeNullWhen(false)] out Outgoing dequeued)
    {
        lock (_lock)
        {
            if (_memory.TryDequeue(out dequeued))
            {
                _memoryBytes -= dequeued.Bytes;
            }
            else if (DequeueFromSpool() is { } spooled)
            {
                dequeued = spooled;
            }
            else
            {
                return false;
            }
        }

        Interlocked.Decrement(ref _count);
        return true;
    }

    /// <summary>Waits until the queue may have changed, or until the timeout.</summary>
    internal Task WaitAsync(TimeSpan timeout, CancellationToken ct) => _changed.WaitAsync(timeout, ct);

    /// <summary>Makes the current or next call of <see cref="WaitAsync"/> return at once.</summary>
    internal void Wake()
    {
        lock (_lock)
        {
            if (_changed.CurrentCount == 0)
            {
                _changed.Release();
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        Complete();
        _isComplete = true;
        await _storing;
        _spool.Dispose();
        _changed.Dispose();
    }

    private Outgoing? DequeueFromSpool()
    {
        try
        {
            if (_spool.Dequeue() is not { } record)
            {
                return null;
            }

            var (stream, message) = StreamMessage.FromRecord(record);
            return new Outgoing(stream, message);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new SpoolException($"the messages that wait for the broker cannot be read from disk: {failure.Message}", failure);
        }
    }

    private async Task StoreAddedAsync()
    {
        await foreach (var message in _added.Reader.ReadAllAsync())
        {
            while (!TryStore(message) && !_isComplete)
            {
                await Task.Delay(_retryDelay);
            }

            Interlocked.Add(ref _unstoredBytes, -message.Bytes);
            Wake();
        }

        _isComplete = true;
        Wake();
    }

    private bool TryStore(Outgoing message)
    {
        lock (_lock)
        {
            if (_spool.Count == 0 && (_memory.Count == 0 || _memoryBytes + message.Bytes <= _maxMemoryBytes))
            {
                _memory.Enqueue(message);
                _memoryBytes += message.Bytes;
                return true;
            }

            try
            {
                return _spool.TryAdd(message.Message.ToRecord(message.Stream));
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                // The write is tried again until it succeeds. The failure is reported once. Messages are lost only if HasRoom becomes false.
                if (!_hasReportedDisk)
                {
                    _hasReportedDisk = true;
                    _sidePath.ReportLoss(0, $"the messages that wait for the broker cannot be written to disk: {failure.Message}", failure);
                }

                return false;
            }
        }
    }
}
