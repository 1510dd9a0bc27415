namespace Sc2Bridge.Streaming;

/// <summary>The side of the match that a subscriber's agent plays. Not thread-safe.</summary>
/// <param name="sides">Counts the agents of each side.</param>
/// <param name="canAct">Whether the agent may play.</param>
internal sealed class AgentSide(PlayedSides sides, bool canAct)
{
    private bool _hasStopped;
    private bool _isPlaying;

    /// <summary>The side that the agent plays or played; null if the agent only watches.</summary>
    public uint? Side { get; private set; }

    public void Begin(uint side)
    {
        Side = canAct ? side : null;
        _isPlaying = canAct && !_hasStopped;
        if (_isPlaying)
        {
            sides.AddAgent(side);
        }
    }

    /// <summary>Call this method when the agent stops playing.</summary>
    /// <returns>The side that the agent played until now; null if it played no side.</returns>
    public uint? Stop()
    {
        var played = _isPlaying ? Side : null;
        (_isPlaying, _hasStopped) = (false, true);
        if (played is { } side)
        {
            sides.RemoveAgent(side);
        }

        return played;
    }
}
