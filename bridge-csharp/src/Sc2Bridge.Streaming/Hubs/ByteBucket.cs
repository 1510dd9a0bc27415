namespace Sc2Bridge.Streaming;

/// <summary>Bytes that may be spent in each second, and in all. One thread at a time.</summary>
internal sealed class ByteBucket(long perSecond, long inAll)
{
    private long _left = inAll;
    private long _leftOfSecond;
    private long _beganNs = long.MinValue;

    /// <summary>Whether it has so many bytes.</summary>
    /// <param name="bytes">They are not taken.</param>
    /// <param name="nowNs">The time, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    public bool Has(int bytes, long nowNs)
    {
        if (_beganNs == long.MinValue || nowNs - _beganNs >= 1_000_000_000)
        {
            (_beganNs, _leftOfSecond) = (nowNs, perSecond);
        }

        return bytes <= _leftOfSecond && bytes <= _left;
    }

    /// <summary>Takes bytes that it has.</summary>
    public void Take(int bytes)
    {
        _leftOfSecond -= bytes;
        _left -= bytes;
    }
}
