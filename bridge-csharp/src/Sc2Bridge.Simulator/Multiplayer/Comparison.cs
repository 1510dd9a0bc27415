namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>Compares the two processes' worlds by their checksums, taken at the same loops.</summary>
internal sealed class Comparison
{
    /// <summary>How many loops lie between two checksums: five seconds of a match.</summary>
    public const int Every = 112;

    private readonly Queue<(int Loop, ulong Sum)> _own = [];
    private readonly Queue<(int Loop, ulong Sum)> _theirs = [];
    private int _last;

    /// <summary>The first loop at which they differed; null while they are the same.</summary>
    public int? Apart { get; private set; }

    /// <summary>Takes this process' checksum.</summary>
    public void TakeOwn(int loop, ulong sum) => Take(_own, loop, sum);

    /// <summary>Takes the other's.</summary>
    /// <exception cref="FormatException">It is of a loop at which none is due.</exception>
    public void TakeTheirs(uint loop, ulong sum)
    {
        if (loop != _last + Every || loop > World.GameWorld.LastLoop)
        {
            throw new FormatException($"a checksum of loop {loop} after {_last}");
        }

        _last = (int)loop;
        Take(_theirs, _last, sum);
    }

    private void Take(Queue<(int Loop, ulong Sum)> sums, int loop, ulong sum)
    {
        sums.Enqueue((loop, sum));
        while (_own.Count > 0 && _theirs.Count > 0)
        {
            var (own, theirs) = (_own.Dequeue(), _theirs.Dequeue());
            Apart ??= own == theirs ? null : own.Loop;
        }
    }
}
