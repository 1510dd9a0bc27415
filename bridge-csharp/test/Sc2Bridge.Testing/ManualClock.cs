namespace Sc2Bridge.Testing;

/// <summary>A clock that only moves when a test advances it.</summary>
public sealed class ManualClock : TimeProvider
{
    public TimeSpan Now { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now.Ticks;
}
