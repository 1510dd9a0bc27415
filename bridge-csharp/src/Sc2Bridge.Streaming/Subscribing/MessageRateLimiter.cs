namespace Sc2Bridge.Streaming;

/// <summary>
/// How much one agent may say: a burst with each frame that it gets, and some in every second without any. An agent
/// that answers, acts and reports says three or four messages a frame.
/// </summary>
/// <param name="time">Its clock.</param>
public sealed class MessageRateLimiter(TimeProvider time)
{
    /// <summary>The most messages upon one frame, and at once before the first.</summary>
    public const int Burst = 10_000;

    /// <summary>The messages that come to that with every second.</summary>
    public const int PerSecond = 1_000;

    private double _left = Burst;
    private long _since = time.GetTimestamp();

    /// <summary>The agent has got a frame.</summary>
    public void Refill() => _left = Burst;

    /// <summary>The agent says something; false where that is too much.</summary>
    public bool Take()
    {
        if (_left < 1)
        {
            var now = time.GetTimestamp();
            _left = Math.Min(Burst, _left + (time.GetElapsedTime(_since, now).TotalSeconds * PerSecond));
            _since = now;
            if (_left < 1)
            {
                return false;
            }
        }

        _left--;
        return true;
    }
}
