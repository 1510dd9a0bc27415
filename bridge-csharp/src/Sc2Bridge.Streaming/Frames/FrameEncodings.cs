using System.Runtime.ExceptionServices;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>The encodings that were made of one frame so far, or failed to be. Thread-safe.</summary>
internal sealed class FrameEncodings
{
    private readonly Lock _lock = new();
    private List<Entry>? _made;

    /// <summary>The encoding, made on the first call; concurrent callers wait for it.</summary>
    public T Get<T>(ObservationFrame frame, IFrameEncoding<T> encoding)
        where T : class, ILeased
    {
        var entry = Find(encoding);
        lock (entry)
        {
            entry.Failure?.Throw();
            if (entry.Made is null)
            {
                try
                {
                    using var lap = EncodingClock.Run(frame);
                    var started = MonotonicClock.NowNs;
                    entry.Made = encoding.Encode(frame);
                    if (entry.Made is MessageBuffer buffer)
                    {
                        frame.Made(encoding.Kind, buffer.Length, started);
                    }
                }
                catch (Exception failure)
                {
                    entry.Failure = ExceptionDispatchInfo.Capture(failure);
                    throw;
                }
            }

            return (T)entry.Made;
        }
    }

    /// <summary>Releases all of them.</summary>
    public void Release()
    {
        foreach (var entry in _made ?? [])
        {
            entry.Made?.Release();
        }
    }

    private Entry Find(object encoding)
    {
        lock (_lock)
        {
            foreach (var known in _made ??= new(2))
            {
                if (known.Encoding.Equals(encoding))
                {
                    return known;
                }
            }

            var entry = new Entry(encoding);
            _made.Add(entry);
            return entry;
        }
    }

    private sealed class Entry(object encoding)
    {
        public object Encoding => encoding;

        public ILeased? Made { get; set; }

        public ExceptionDispatchInfo? Failure { get; set; }
    }
}
