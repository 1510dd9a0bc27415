namespace Sc2Bridge.Streaming;

/// <summary>Limits bytes per second and in total. Not thread-safe.</summary>
internal sealed class ByteBucket(long perSecond, long total)
{
    private long _remainingInTotal = total;
    private long _remainingInSecond;
    private long _secondStartedNs = long.MinValue;

    /// <summary>Whether this many bytes may be spent.</summary>
    /// <param name="bytes">The number of bytes. They are not deducted.</param>
    /// <param name="nowNs">The time, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    public bool HasRoomFor(int bytes, long nowNs)
    {
        if (_secondStartedNs == long.MinValue || nowNs - _secondStartedNs >= 1_000_000_000)
        {
            (_secondStartedNs, _remainingInSecond) = (nowNs, perSecond);
        }

        return bytes <= _remainingInSecond && bytes <= _remainingInTotal;
    }

    /// <summary>Deducts bytes. The caller has checked that they are available.</summary>
    public void Consume(int bytes)
    {
        _remainingInSecond -= bytes;
        _remainingInTotal -= bytes;
    }
}
