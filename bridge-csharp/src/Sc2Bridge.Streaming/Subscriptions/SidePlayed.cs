namespace Sc2Bridge.Streaming;

/// <summary>The side of the match that a subscriber's agent plays. Not thread-safe.</summary>
/// <param name="sides">Counts the agents of each side.</param>
/// <param name="canAct">Whether the agent plays at all.</param>
internal sealed class SidePlayed(PlayedSides sides, bool canAct)
{
    private bool _hasStopped;
    private bool _plays;

    /// <summary>The side that it plays or played; null if it only watches.</summary>
    public uint? Side { get; private set; }

    public void Begin(uint side)
    {
        Side = canAct ? side : null;
        _plays = canAct && !_hasStopped;
        if (_plays)
        {
            sides.Add(side);
        }
    }

    /// <summary>The agent plays no longer.</summary>
    /// <returns>The side that it played until now; null if none.</returns>
    public uint? Stop()
    {
        var played = _plays ? Side : null;
        (_plays, _hasStopped) = (false, true);
        if (played is { } side)
        {
            sides.Remove(side);
        }

        return played;
    }
}
