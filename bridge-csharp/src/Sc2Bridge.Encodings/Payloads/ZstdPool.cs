using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>A pool of compression contexts for single frames. The pool keeps idle contexts while it has users. Thread-safe.</summary>
internal sealed class ZstdPool
{
    private readonly Lock _lock = new();
    private readonly Stack<ZstdCompressor> _idle = new();
    private int _users;

    public void Join()
    {
        lock (_lock)
        {
            _users++;
        }
    }

    /// <summary>Removes a user. The last user's call frees all idle contexts.</summary>
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

    public ZstdCompressor Rent()
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
