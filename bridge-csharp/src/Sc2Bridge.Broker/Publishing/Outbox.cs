using System.Diagnostics.CodeAnalysis;
using System.Threading.Channels;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>A message, and the stream that it is for.</summary>
/// <param name="Stream">Its number among the publisher's streams.</param>
/// <param name="Message">The message.</param>
internal readonly record struct Outgoing(int Stream, StreamMessage Message)
{
    // Beside its body.
    private const int Overhead = 200;

    /// <summary>What it takes in memory.</summary>
    internal int Bytes => Message.Body.Length + Overhead;
}

/// <summary>
/// What waits for the broker, in order: a little in memory, then in a file, both bounded. Who adds never waits for the
/// disk. Any thread adds, one takes.
/// </summary>
internal sealed class Outbox : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromMilliseconds(50);

    private readonly Channel<Outgoing> _added = Channel.CreateUnbounded<Outgoing>(new() { SingleReader = true });
    private readonly Queue<Outgoing> _memory = [];
    private readonly Lock _lock = new();
    private readonly Spool _spool;
    private readonly SidePath _path;
    private readonly long _mostInHand;
    private readonly long _mostInMemory;
    private readonly SemaphoreSlim _changed = new(0, 1);
    private readonly Task _moving;
    private long _inHand;
    private long _inMemory;
    private long _count;
    private volatile bool _isLast;
    private bool _isTold;

    /// <param name="spool">The file; taken over.</param>
    /// <param name="path">Gets what the disk does wrong.</param>
    internal Outbox(Spool spool, SidePath path)
    {
        (_spool, _path) = (spool, path);

        // In hand for the disk; and before anything goes there.
        (_mostInHand, _mostInMemory) = (Math.Min(16 << 20, spool.Most), Math.Min(4 << 20, spool.Most));
        _moving = Task.Run(MoveAsync);
    }

    /// <summary>Whether there is room for more frames.</summary>
    internal bool HasRoom => Interlocked.Read(ref _inHand) < _mostInHand;

    /// <summary>Messages that wait.</summary>
    internal long Count => Interlocked.Read(ref _count);

    /// <summary>Whether nothing is added any more, and all was taken.</summary>
    internal bool IsEmptied => _isLast && Count == 0;

    /// <summary>Adds a message; see <see cref="HasRoom"/>.</summary>
    internal void Add(Outgoing message)
    {
        Interlocked.Increment(ref _count);
        Interlocked.Add(ref _inHand, message.Bytes);
        if (!_added.Writer.TryWrite(message))
        {
            Interlocked.Decrement(ref _count);
        }
    }

    /// <summary>Nothing more is added.</summary>
    internal void Complete() => _added.Writer.TryComplete();

    /// <summary>The oldest message.</summary>
    /// <exception cref="SpoolException">The file cannot be read.</exception>
    internal bool TryTake([MaybeNullWhen(false)] out Outgoing taken)
    {
        lock (_lock)
        {
            if (_memory.TryDequeue(out taken))
            {
                _inMemory -= taken.Bytes;
            }
            else if (TakeFromSpool() is { } spooled)
            {
                taken = spooled;
            }
            else
            {
                return false;
            }
        }

        Interlocked.Decrement(ref _count);
        return true;
    }

    /// <summary>Waits until something may have come, or for so long.</summary>
    internal Task WaitAsync(TimeSpan most, CancellationToken ct) => _changed.WaitAsync(most, ct);

    /// <summary>Has <see cref="WaitAsync"/> return.</summary>
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
        _isLast = true;
        await _moving;
        _spool.Dispose();
        _changed.Dispose();
    }

    private Outgoing? TakeFromSpool()
    {
        try
        {
            if (_spool.Take() is not { } record)
            {
                return null;
            }

            var (stream, message) = StreamMessage.FromRecord(record);
            return new Outgoing(stream, message);
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            throw new SpoolException($"what waits for the broker cannot be read from the disk: {failure.Message}", failure);
        }
    }

    private async Task MoveAsync()
    {
        await foreach (var message in _added.Reader.ReadAllAsync())
        {
            while (!TryStore(message) && !_isLast)
            {
                await Task.Delay(_patience);
            }

            Interlocked.Add(ref _inHand, -message.Bytes);
            Wake();
        }

        _isLast = true;
        Wake();
    }

    private bool TryStore(Outgoing message)
    {
        lock (_lock)
        {
            if (_spool.Count == 0 && (_memory.Count == 0 || _inMemory + message.Bytes <= _mostInMemory))
            {
                _memory.Enqueue(message);
                _inMemory += message.Bytes;
                return true;
            }

            try
            {
                return _spool.TryAdd(message.Message.ToRecord(message.Stream));
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                // Tried again and again, told once: nothing is lost while there is room in hand.
                if (!_isTold)
                {
                    _isTold = true;
                    _path.Lose(0, $"the disk takes nothing of what waits for the broker: {failure.Message}", failure);
                }

                return false;
            }
        }
    }
}
