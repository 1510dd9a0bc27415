namespace Sc2Bridge.GameApi.Tests;

/// <summary>A clock that stands until it is told to go on.</summary>
internal sealed class Clock : TimeProvider
{
    public TimeSpan Now { get; set; }

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Now.Ticks;
}
