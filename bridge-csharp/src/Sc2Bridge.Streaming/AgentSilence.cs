namespace Sc2Bridge.Streaming;

/// <summary>
/// How long an agent that nobody waits for has said nothing, though frames go to it and it is known to answer them.
/// </summary>
/// <remarks>
/// Whoever acknowledged a frame once is held to go on; one that never did may only have nothing to say. Where no frame
/// comes there is nothing to answer: a gap between two counts for no more than a tenth of the timeout.
/// </remarks>
internal sealed class AgentSilence(HubOptions options)
{
    private readonly TimeSpan _longestGap = options.AgentTimeout / 10;
    private bool _answers;
    private long? _offered;
    private TimeSpan _silent;

    /// <summary>A frame is for the agent.</summary>
    /// <returns>True where it has been silent for too long.</returns>
    public bool Offer()
    {
        var now = options.TimeProvider.GetTimestamp();
        if (_offered is { } before)
        {
            var gap = options.TimeProvider.GetElapsedTime(before, now);
            _silent += gap < _longestGap ? gap : _longestGap;
        }

        _offered = now;
        return _answers && _silent >= options.AgentTimeout;
    }

    /// <summary>The agent says something.</summary>
    public void Speaks()
    {
        _offered = null;
        _silent = TimeSpan.Zero;
    }

    /// <summary>The agent acknowledges a frame.</summary>
    public void Answers()
    {
        _answers = true;
        Speaks();
    }
}
