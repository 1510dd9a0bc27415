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
    private readonly ByteBoundedChannel<MessageBuffer> _stretches;
    private readonly object _progress = new();
    private readonly Stream _file;
    private readonly Task _writing;
    private long _written;
    private volatile string? _problem;

    /// <summary>Begins.</summary>
    /// <param name="file">Taken over: closed when all is written, and where a write fails.</param>
    /// <param name="memory">Charged with them; null: nothing is.</param>
    public StreamSink(Stream file, MemoryLedger? memory = null)
    {
        _stretches = new(memory);
        _file = file;
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
        if (!_stretches.TryWrite(stretch, bytes.Length))
        {
            stretch.Release();
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
            while (_stretches.Waiting >= most && _problem is null)
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
        _stretches.Complete();
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
                while (_stretches.WaitToRead())
                {
                    WriteAll();
                }
            }
        }
        catch (Exception failed)
        {
            // Whatever it is: nothing else reports this thread's failures.
            _problem = failed.Message;
            _stretches.Complete();
            while (_stretches.TryRead(out var dropped, out var bytes))
            {
                _stretches.Remove(bytes);
                dropped.Release();
            }
        }

        Progressed();
    }

    private void WriteAll()
    {
        while (_stretches.TryRead(out var stretch, out var bytes))
        {
            try
            {
                _file.Write(stretch.Written.Span);
                Interlocked.Add(ref _written, bytes);
            }
            finally
            {
                stretch.Release();
                _stretches.Remove(bytes);
            }

            Progressed();
        }
    }

    private void Progressed()
    {
        lock (_progress)
        {
            Monitor.PulseAll(_progress);
        }
    }
}
