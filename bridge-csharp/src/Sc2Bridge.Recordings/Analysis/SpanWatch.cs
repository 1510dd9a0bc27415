namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Finds the parts of a match that satisfy a condition for a minimum time. Not thread-safe.</summary>
/// <param name="minLoops">The minimum length of such a part in game loops.</param>
internal sealed class SpanWatch(uint minLoops)
{
    private const int MostSpans = 200;

    private readonly List<(uint First, uint Last, uint Most)> _spans = [];
    private (uint First, uint Most)? _open;

    /// <summary>Adds whether the condition is true at a game loop.</summary>
    /// <param name="loop">The game loop.</param>
    /// <param name="isTrue">Whether the condition is true.</param>
    /// <param name="amount">The amount of the watched resource at this loop. The result contains the largest amount of each part.</param>
    public void Add(uint loop, bool isTrue, uint amount)
    {
        if (isTrue)
        {
            _open = (_open?.First ?? loop, Math.Max(_open?.Most ?? 0, amount));
        }
        else
        {
            End(loop);
        }
    }

    /// <summary>Ends the part that is still open, at the match's last loop, and returns all parts.</summary>
    public IReadOnlyList<(uint First, uint Last, uint Most)> Finish(uint lastLoop)
    {
        End(lastLoop);
        return _spans;
    }

    private void End(uint loop)
    {
        if (_open is { } open && loop - open.First >= minLoops && _spans.Count < MostSpans)
        {
            _spans.Add((open.First, loop, open.Most));
        }

        _open = null;
    }
}
