namespace Sc2Bridge.Streaming;

/// <summary>A client's wish that the match ends and another begins: made in the hub, granted by who plays the matches. Thread-safe.</summary>
public sealed class Restarts
{
    private readonly Lock _lock = new();
    private TaskCompletionSource<uint> _asked = NewAsked();

    /// <summary>Completes when a client asks, if it is before <see cref="Take"/>; never fails.</summary>
    public Task Asked
    {
        get
        {
            lock (_lock)
            {
                return _asked.Task;
            }
        }
    }

    /// <summary>Grants the newest wish, once there is one.</summary>
    /// <returns>The next match's random seed.</returns>
    public uint Take()
    {
        lock (_lock)
        {
            var seed = _asked.Task.Result;
            _asked = NewAsked();
            return seed;
        }
    }

    /// <summary>A client asks.</summary>
    internal void Ask(uint seed)
    {
        lock (_lock)
        {
            if (!_asked.TrySetResult(seed))
            {
                _asked = NewAsked();
                _asked.SetResult(seed);
            }
        }
    }

    private static TaskCompletionSource<uint> NewAsked() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
