namespace Sc2Bridge.Streaming;

/// <summary>When the newest steps arrived: a ring by step. One thread writes, any reads.</summary>
internal sealed class ArrivalTimes
{
    /// <summary>Steps remembered: six minutes at 22.4 a second, more than a queue of 64 MiB holds.</summary>
    public const int Remembered = 8192;

    private readonly Lock _lock = new();
    private readonly (ulong Step, long ObservedNs, bool Known)[] _times = new (ulong, long, bool)[Remembered];

    public void Set(ulong step, long observedNs)
    {
        lock (_lock)
        {
            _times[step % Remembered] = (step, observedNs, true);
        }
    }

    public long? Get(ulong step)
    {
        lock (_lock)
        {
            var (known, observedNs, isKnown) = _times[step % Remembered];
            return isKnown && known == step ? observedNs : null;
        }
    }

    public void Clear()
    {
        lock (_lock)
        {
            Array.Clear(_times);
        }
    }
}
