using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>Compressing contexts for single frames, kept while any subscriber may need one. Thread-safe.</summary>
internal sealed class ZstdPool
{
    private readonly Lock _lock = new();
    private readonly Stack<ZstdCompressor> _idle = new();
    private int _users;

    /// <summary>Adds a user of the pool.</summary>
    public void Join()
    {
        lock (_lock)
        {
            _users++;
        }
    }

    /// <summary>Removes a user; with the last, the contexts are freed.</summary>
    public void Leave()
    {
        lock (_lock)
        {
            if (--_users > 0)
            {
                return;
            }

            while (_idle.TryPop(out var idle))
            {
                idle.Dispose();
            }
        }
    }

    /// <summary>A context for one frame.</summary>
    public ZstdCompressor Take()
    {
        lock (_lock)
        {
            if (_idle.TryPop(out var idle))
            {
                return idle;
            }
        }

        return new ZstdCompressor();
    }

    /// <summary>Gives a context back.</summary>
    public void Return(ZstdCompressor context)
    {
        lock (_lock)
        {
            if (_users > 0)
            {
                _idle.Push(context);
                return;
            }
        }

        context.Dispose();
    }
}
