namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Finds the parts of a match during which a condition holds for some time. Not thread-safe.</summary>
/// <param name="least">The loops for which it must hold.</param>
internal sealed class SpanWatch(uint least)
{
    private const int MostSpans = 200;

    private readonly List<(uint First, uint Last, uint Most)> _spans = [];
    private (uint First, uint Most)? _open;

    /// <summary>Notes whether it holds at a loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="holds">Whether it holds.</param>
    /// <param name="amount">An amount; a part has the largest.</param>
    public void See(uint loop, bool holds, uint amount)
    {
        if (holds)
        {
            _open = (_open?.First ?? loop, Math.Max(_open?.Most ?? 0, amount));
        }
        else
        {
            End(loop);
        }
    }

    /// <summary>The parts, up to the match's last loop.</summary>
    public IReadOnlyList<(uint First, uint Last, uint Most)> Finish(uint lastLoop)
    {
        End(lastLoop);
        return _spans;
    }

    private void End(uint loop)
    {
        if (_open is { } open && loop - open.First >= least && _spans.Count < MostSpans)
        {
            _spans.Add((open.First, loop, open.Most));
        }

        _open = null;
    }
}
