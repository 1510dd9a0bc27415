namespace Sc2Bridge.Testing;

/// <summary>A clock that stands until it is told to go on.</summary>
public sealed class ManualClock : TimeProvider
{
    public TimeSpan Now { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now.Ticks;
}
