using System.Threading.Channels;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Hands a file's stretches to the system on a thread of its own, each whole, in one write: so the one who makes them
/// can tell how long it has waited for the disk. For one thread that appends.
/// </summary>
internal sealed class StreamSink : IByteSink
{
    private readonly Channel<MessageBuffer> _stretches =
        System.Threading.Channels.Channel.CreateUnbounded<MessageBuffer>(new UnboundedChannelOptions { SingleReader = true });

    private readonly object _progress = new();
    private readonly MemoryLedger? _memory;
    private readonly Stream _file;
    private readonly Task _writing;
    private long _waiting;
    private long _written;
    private volatile string? _problem;

    /// <summary>Begins.</summary>
    /// <param name="file">Taken over: closed when all is written, and where a write fails.</param>
    /// <param name="memory">Charged with them; null: nothing is.</param>
    public StreamSink(Stream file, MemoryLedger? memory = null)
    {
        (_file, _memory) = (file, memory);
        _writing = Task.Factory.StartNew(
            Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Bytes that the system has taken.</summary>
    public long Written => Interlocked.Read(ref _written);

    /// <summary>What went wrong with the disk: nothing more is written. Null where nothing did.</summary>
    public string? Problem => _problem;

    /// <inheritdoc/>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        var stretch = MessageBuffer.Rent(bytes.Length);
        bytes.CopyTo(stretch.GetSpan(bytes.Length));
        stretch.Advance(bytes.Length);
        Charge(bytes.Length);
        if (!_stretches.Writer.TryWrite(stretch))
        {
            Drop(stretch);
        }
    }

    /// <summary>Waits until less than so many bytes wait for the disk.</summary>
    /// <param name="most">How many; 1: until it has taken all.</param>
    /// <param name="longest">How long; not at all where it is zero.</param>
    /// <returns>Whether there is room, or nothing to wait for any more.</returns>
    public bool WaitForRoom(long most, TimeSpan longest)
    {
        var until = Environment.TickCount64 + (long)longest.TotalMilliseconds;
        lock (_progress)
        {
            while (Interlocked.Read(ref _waiting) >= most && _problem is null)
            {
                var left = until - Environment.TickCount64;
                if (left <= 0)
                {
                    return false;
                }

                Monitor.Wait(_progress, TimeSpan.FromMilliseconds(left));
            }
        }

        return true;
    }

    /// <summary>Nothing more is appended: the file is closed when all is written.</summary>
    /// <param name="longest">How long that may take without anything being written.</param>
    /// <returns>Whether it is closed, or nothing to wait for any more.</returns>
    public bool Close(TimeSpan longest)
    {
        _stretches.Writer.TryComplete();
        while (true)
        {
            var before = Written;
            if (_writing.Wait(longest))
            {
                return true;
            }

            if (Written == before)
            {
                return false;
            }
        }
    }

    private void Run()
    {
        try
        {
            using (_file)
            {
                foreach (var stretch in _stretches.Reader.ReadAllAsync().ToBlockingEnumerable())
                {
                    try
                    {
                        _file.Write(stretch.Written.Span);
                        Interlocked.Add(ref _written, stretch.Length);
                    }
                    finally
                    {
                        Drop(stretch);
                    }
                }
            }
        }
        catch (Exception failed)
        {
            // Whatever it is: nothing else reports this thread's failures.
            _problem = failed.Message;
            _stretches.Writer.TryComplete();
            while (_stretches.Reader.TryRead(out var dropped))
            {
                Drop(dropped);
            }
        }

        Progressed();
    }

    private void Drop(MessageBuffer stretch)
    {
        Charge(-stretch.Length);
        stretch.Release();
        Progressed();
    }

    private void Charge(int bytes)
    {
        _memory?.Add(MemoryAccount.Recorder, bytes);
        Interlocked.Add(ref _waiting, bytes);
    }

    private void Progressed()
    {
        lock (_progress)
        {
            Monitor.PulseAll(_progress);
        }
    }
}
