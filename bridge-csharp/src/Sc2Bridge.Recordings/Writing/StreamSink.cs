using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>
/// Hands a file's stretches to the system on a thread of its own, each whole, in one write: so the one who makes them
/// can tell how long it has waited for the disk. For one thread that appends.
/// </summary>
internal sealed class StreamSink : IByteSink
{
    private readonly object _lock = new();
    private readonly Queue<MessageBuffer> _stretches = new();
    private readonly Stream _file;
    private readonly long _mostWaiting;
    private long _waiting;
    private long _written;
    private bool _complete;
    private bool _closed;
    private string? _problem;

    /// <summary>Begins.</summary>
    /// <param name="file">Taken over: closed when all is written, and where a write fails.</param>
    /// <param name="mostWaiting">The bytes that may wait for the disk before there is no room.</param>
    public StreamSink(Stream file, long mostWaiting)
    {
        _file = file;
        _mostWaiting = mostWaiting;
        new Thread(Run) { IsBackground = true, Name = "recording" }.Start();
    }

    /// <summary>Bytes that the system has taken.</summary>
    public long Written
    {
        get
        {
            lock (_lock)
            {
                return _written;
            }
        }
    }

    /// <summary>What went wrong with the disk: nothing more is written. Null where nothing did.</summary>
    public string? Problem
    {
        get
        {
            lock (_lock)
            {
                return _problem;
            }
        }
    }

    /// <inheritdoc/>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        var stretch = MessageBuffer.Rent(bytes.Length);
        bytes.CopyTo(stretch.GetSpan(bytes.Length));
        stretch.Advance(bytes.Length);
        lock (_lock)
        {
            if (_problem is null)
            {
                _stretches.Enqueue(stretch);
                _waiting += bytes.Length;
                Monitor.PulseAll(_lock);
                return;
            }
        }

        stretch.Release();
    }

    /// <summary>Waits until less than the most waits for the disk.</summary>
    /// <param name="longest">How long; not at all where it is zero.</param>
    /// <returns>Whether there is room, or nothing to wait for any more.</returns>
    public bool WaitForRoom(TimeSpan longest) => Wait(static sink => sink._waiting < sink._mostWaiting, longest);

    /// <summary>Nothing more is appended: the file is closed when all is written.</summary>
    /// <param name="longest">How long that may take without anything being written.</param>
    /// <returns>Whether it is closed, or nothing to wait for any more.</returns>
    public bool Close(TimeSpan longest)
    {
        lock (_lock)
        {
            _complete = true;
            Monitor.PulseAll(_lock);
        }

        while (true)
        {
            var before = Written;
            if (Wait(static sink => sink._closed, longest))
            {
                return true;
            }

            if (Written == before)
            {
                return false;
            }
        }
    }

    private bool Wait(Func<StreamSink, bool> done, TimeSpan longest)
    {
        var until = Environment.TickCount64 + (long)longest.TotalMilliseconds;
        lock (_lock)
        {
            while (_problem is null && !done(this))
            {
                var left = until - Environment.TickCount64;
                if (left <= 0)
                {
                    return false;
                }

                Monitor.Wait(_lock, TimeSpan.FromMilliseconds(left));
            }

            return true;
        }
    }

    private void Run()
    {
        try
        {
            using (_file)
            {
                while (Next() is { } stretch)
                {
                    _file.Write(stretch.Written.Span);
                    Wrote(stretch);
                }
            }

            lock (_lock)
            {
                _closed = true;
                Monitor.PulseAll(_lock);
            }
        }
        catch (Exception failed) when (failed is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            Fail(failed.Message);
        }
    }

    // The next stretch, which stays in the queue until it is written; null at the end.
    private MessageBuffer? Next()
    {
        lock (_lock)
        {
            while (_stretches.Count == 0 && !_complete)
            {
                Monitor.Wait(_lock);
            }

            return _stretches.TryPeek(out var next) ? next : null;
        }
    }

    private void Wrote(MessageBuffer stretch)
    {
        lock (_lock)
        {
            _stretches.Dequeue();
            _waiting -= stretch.Length;
            _written += stretch.Length;
            Monitor.PulseAll(_lock);
        }

        stretch.Release();
    }

    private void Fail(string problem)
    {
        lock (_lock)
        {
            _problem = problem;
            _waiting = 0;
            while (_stretches.TryDequeue(out var stretch))
            {
                stretch.Release();
            }

            Monitor.PulseAll(_lock);
        }
    }
}
