namespace Sc2Bridge.Streaming.Tests;

public sealed class IdleThreadsTests
{
    [Theory]
    [InlineData("max", false)]
    [InlineData("16", true)]
    [InlineData("22.4", true)]
    [InlineData("realtime", true)]
    [InlineData("100", true)]
    [InlineData("101", false)]
    [InlineData("10000", false)]
    public void They_sleep_where_steps_come_at_a_slow_pace(string rate, bool sleep) =>
        Assert.Equal(sleep, IdleThreads.ShouldDisableSpinning(StepRate.Parse(rate)));
}
