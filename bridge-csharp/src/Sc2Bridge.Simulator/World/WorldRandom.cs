namespace Sc2Bridge.Simulator.World;

/// <summary>Random numbers of the simulated world (SplitMix64). A seed gives the same numbers on every machine and runtime.</summary>
internal struct WorldRandom(ulong seed)
{
    private ulong _state = seed;

    /// <summary>The next number, from 0 to <paramref name="limit"/> - 1.</summary>
    /// <param name="limit">At least 1.</param>
    public int Next(int limit)
    {
        _state += 0x9E3779B97F4A7C15;
        var z = _state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        z ^= z >> 31;
        return (int)((z >> 33) * (ulong)limit >> 31);
    }
}
