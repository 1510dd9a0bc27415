namespace Sc2Bridge.Bench;

/// <summary>
/// Looks for the greatest load that is kept up with: doubles it until it is too much, and then halves what lies between
/// the greatest that was kept up with and the least that was not. It measures nothing itself: it says what is to be
/// tried next, and is told how that went.
/// </summary>
internal sealed class BreakingSearch
{
    // As close as a repeated measure can tell: an eighth.
    private const double Close = 1.125;

    private readonly bool _isWhole;
    private readonly double _least;
    private readonly double _most;
    private readonly double _start;

    public BreakingSearch(double start, double least, double most, bool isWhole)
    {
        (_start, _least, _most, _isWhole) = (start, least, most, isWhole);
        Next = start;
    }

    /// <summary>What is to be tried; null when it is found.</summary>
    public double? Next { get; private set; }

    /// <summary>The greatest load that was kept up with; null where none was.</summary>
    public double? Kept { get; private set; }

    /// <summary>The least that was not; null where everything was, up to the bound.</summary>
    public double? Broke { get; private set; }

    /// <summary>Takes how <see cref="Next"/> went.</summary>
    public void Tell(bool keptUp)
    {
        var tried = Next ?? throw new InvalidOperationException("It is found.");
        if (keptUp)
        {
            Kept = tried;
        }
        else
        {
            Broke = tried;
        }

        Next = (Kept, Broke) switch
        {
            ({ } kept, null) => kept < _most ? Math.Min(kept * 2, _most) : null,
            (null, { } broke) => broke > _least ? Math.Max(Rounded(broke / 2), _least) : null,
            ({ } kept, { } broke) => broke / kept <= Close ? null : Between(kept, broke),
            _ => throw new InvalidOperationException(),
        };
    }

    private double? Between(double kept, double broke)
    {
        var middle = Rounded((kept + broke) / 2);
        return middle > kept && middle < broke ? middle : null;
    }

    private double Rounded(double load) => _isWhole ? Math.Floor(load) : load;
}
