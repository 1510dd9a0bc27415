namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>Compares the worlds of two processes by their checksums at the same loops.</summary>
internal sealed class Comparison
{
    /// <summary>The number of loops between two checksums: five seconds of a match.</summary>
    public const int Every = 112;

    private readonly Queue<(int Loop, ulong Sum)> _own = [];
    private readonly Queue<(int Loop, ulong Sum)> _theirs = [];
    private int _last;

    /// <summary>The first loop with different checksums, or null.</summary>
    public int? DiffersSince { get; private set; }

    /// <summary>Adds this process' checksum.</summary>
    public void AddOwn(int loop, ulong sum) => Add(_own, loop, sum);

    /// <summary>Adds the other process' checksum.</summary>
    /// <exception cref="FormatException">No checksum is due at this loop.</exception>
    public void AddTheirs(uint loop, ulong sum)
    {
        if (loop != _last + Every || loop > World.GameWorld.LastLoop)
        {
            throw new FormatException($"a checksum of loop {loop} after loop {_last}");
        }

        _last = (int)loop;
        Add(_theirs, _last, sum);
    }

    private void Add(Queue<(int Loop, ulong Sum)> sums, int loop, ulong sum)
    {
        sums.Enqueue((loop, sum));
        while (_own.Count > 0 && _theirs.Count > 0)
        {
            var (own, theirs) = (_own.Dequeue(), _theirs.Dequeue());
            DiffersSince ??= own == theirs ? null : own.Loop;
        }
    }
}
