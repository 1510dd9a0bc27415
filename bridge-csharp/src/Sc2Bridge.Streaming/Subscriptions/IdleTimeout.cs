namespace Sc2Bridge.Streaming;

/// <summary>
/// How long an agent that nobody waits for has given no sign of itself, though frames go to it.
/// </summary>
/// <remarks>
/// Whoever acknowledged a frame once is held to go on; one that never did may only have nothing to say, and shows by
/// the frames that it takes that it is there. Where no frame comes there is nothing to answer: a gap between two counts
/// for no more than a tenth of the timeout.
/// </remarks>
internal sealed class IdleTimeout(HubOptions options)
{
    private readonly TimeSpan _longestGap = options.AgentTimeout / 10;
    private bool _answers;
    private long? _offered;
    private TimeSpan _silent;

    /// <summary>Why it is to be dropped, once it is.</summary>
    public string Reason => Errors.TooSilent(options, _answers);

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
        return _silent >= options.AgentTimeout;
    }

    /// <summary>The agent says something.</summary>
    public void MessageReceived()
    {
        _offered = null;
        _silent = TimeSpan.Zero;
    }

    /// <summary>The agent takes a frame: a sign only of one that says nothing.</summary>
    public void FrameTaken()
    {
        if (!_answers)
        {
            MessageReceived();
        }
    }

    /// <summary>The agent acknowledges a frame.</summary>
    public void Acknowledged()
    {
        _answers = true;
        MessageReceived();
    }
}
