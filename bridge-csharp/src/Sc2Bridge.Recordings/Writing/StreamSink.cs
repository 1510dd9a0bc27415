using System.Threading.Channels;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Queues buffers and writes them to a file on its own thread, each buffer in one write. So a slow disk does not block the caller. The
/// caller can limit the queue with <see cref="WaitForRoom"/>. Only one thread may append.
/// </summary>
internal sealed class StreamSink : IByteSink
{
    private readonly Channel<MessageBuffer> _pending =
        System.Threading.Channels.Channel.CreateUnbounded<MessageBuffer>(new UnboundedChannelOptions { SingleReader = true });

    private readonly object _progressLock = new();
    private readonly MemoryLedger? _memory;
    private readonly Stream _file;
    private readonly Task _writeTask;
    private long _waitingBytes;
    private long _writtenBytes;
    private volatile string? _problem;

    /// <param name="file">The file. The sink closes it after <see cref="Close"/> when all bytes are written, or when a write fails.</param>
    /// <param name="memory">Accounts for the queued bytes; null for no accounting.</param>
    public StreamSink(Stream file, MemoryLedger? memory = null)
    {
        (_file, _memory) = (file, memory);
        _writeTask = Task.Factory.StartNew(
            WriteAll, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>The number of bytes written.</summary>
    public long WrittenBytes => Interlocked.Read(ref _writtenBytes);

    /// <summary>Why writing has failed; null if it has not.</summary>
    public string? Problem => _problem;

    /// <inheritdoc/>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        var buffer = MessageBuffer.Rent(bytes.Length);
        bytes.CopyTo(buffer.GetSpan(bytes.Length));
        buffer.Advance(bytes.Length);
        AddWaiting(bytes.Length);
        if (!_pending.Writer.TryWrite(buffer))
        {
            Release(buffer);
        }
    }

    /// <summary>Waits until the queue contains fewer bytes than a limit.</summary>
    /// <param name="maxWaitingBytes">The limit in bytes. If it is 1, the method waits until all bytes are written.</param>
    /// <param name="timeout">The time limit. If it is zero, the method does not wait.</param>
    /// <returns>True if the queue has room or writing has stopped; false after the time limit.</returns>
    public bool WaitForRoom(long maxWaitingBytes, TimeSpan timeout)
    {
        var deadlineMs = Environment.TickCount64 + (long)timeout.TotalMilliseconds;
        lock (_progressLock)
        {
            while (Interlocked.Read(ref _waitingBytes) >= maxWaitingBytes && _problem is null)
            {
                var remainingMs = deadlineMs - Environment.TickCount64;
                if (remainingMs <= 0)
                {
                    return false;
                }

                Monitor.Wait(_progressLock, TimeSpan.FromMilliseconds(remainingMs));
            }
        }

        return true;
    }

    /// <summary>Accepts no more bytes and waits until all bytes are written and the file is closed.</summary>
    /// <param name="idleTimeout">The longest time that the disk may write nothing. After this time the method returns false.</param>
    /// <returns>Whether the file is closed.</returns>
    public bool Close(TimeSpan idleTimeout)
    {
        _pending.Writer.TryComplete();
        while (true)
        {
            var before = WrittenBytes;
            if (_writeTask.Wait(idleTimeout))
            {
                return true;
            }

            if (WrittenBytes == before)
            {
                return false;
            }
        }
    }

    private void WriteAll()
    {
        try
        {
            using (_file)
            {
                foreach (var buffer in _pending.Reader.ReadAllAsync().ToBlockingEnumerable())
                {
                    try
                    {
                        _file.Write(buffer.Written.Span);
                        Interlocked.Add(ref _writtenBytes, buffer.Length);
                    }
                    finally
                    {
                        Release(buffer);
                    }
                }
            }
        }
        catch (Exception failed)
        {
            // Catches any exception, because nothing else reports the failures of this thread.
            _problem = failed.Message;
            _pending.Writer.TryComplete();
            while (_pending.Reader.TryRead(out var dropped))
            {
                Release(dropped);
            }
        }

        SignalProgress();
    }

    private void Release(MessageBuffer buffer)
    {
        AddWaiting(-buffer.Length);
        buffer.Release();
        SignalProgress();
    }

    private void AddWaiting(int bytes)
    {
        _memory?.Add(MemoryAccount.Recorder, bytes);
        Interlocked.Add(ref _waitingBytes, bytes);
    }

    private void SignalProgress()
    {
        lock (_progressLock)
        {
            Monitor.PulseAll(_progressLock);
        }
    }
}
