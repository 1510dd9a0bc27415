namespace Sc2Bridge.Streaming;

/// <summary>
/// How long an agent that the game does not wait for has been silent while frames were offered to it.
/// </summary>
/// <remarks>
/// An agent that has acknowledged a frame must go on acknowledging; for one that never did, taking frames counts as a
/// sign of life. Only time with frames counts: a gap between two counts for a tenth of the timeout at most.
/// </remarks>
internal sealed class IdleTimeout(HubOptions options)
{
    private readonly TimeSpan _longestGap = options.AgentTimeout / 10;
    private bool _answers;
    private long? _offered;
    private TimeSpan _silent;

    /// <summary>Why the agent is dropped, for its error event.</summary>
    public string Reason => Errors.TooSilent(options, _answers);

    /// <summary>A frame is offered to the agent.</summary>
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

    /// <summary>The agent has sent a message.</summary>
    public void MessageReceived()
    {
        _offered = null;
        _silent = TimeSpan.Zero;
    }

    /// <summary>The agent takes a frame, which counts only until it has acknowledged one.</summary>
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
