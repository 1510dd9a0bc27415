using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

public sealed class GrpcTimeoutTests
{
    [Theory]
    [InlineData("1H", 36_000_000_000)]
    [InlineData("2M", 1_200_000_000)]
    [InlineData("3S", 30_000_000)]
    [InlineData("250m", 2_500_000)]
    [InlineData("7u", 70)]
    [InlineData("100n", 1)]
    [InlineData("1n", 1)]
    [InlineData("0S", 0)]
    public void Reads_every_unit(string text, long ticks) => Assert.Equal(ticks, GrpcTimeout.Parse(text).Ticks);

    [Fact]
    public void Bounds_what_no_timer_holds() => Assert.Equal(GrpcTimeout.Longest, GrpcTimeout.Parse("99999999H"));

    [Theory]
    [InlineData("")]
    [InlineData("S")]
    [InlineData("5")]
    [InlineData("-1S")]
    [InlineData("1.5S")]
    [InlineData("123456789S")]
    [InlineData("1s")]
    [InlineData("1 S")]
    [InlineData("٣S")]
    public void Refuses_the_rest(string text) =>
        Assert.Equal(GrpcCode.InvalidArgument, Assert.Throws<GrpcException>(() => GrpcTimeout.Parse(text)).Code);

    [Fact]
    public void Raises_only_what_it_says() => Prop.ForAll<string?>(text =>
    {
        try
        {
            return GrpcTimeout.Parse(text ?? "") >= TimeSpan.Zero;
        }
        catch (GrpcException)
        {
            return true;
        }
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void What_is_written_reads_as_no_less() => Prop.ForAll<long>(drawn =>
    {
        var ticks = Math.Abs(drawn % GrpcTimeout.Longest.Ticks);
        var text = GrpcTimeout.Format(TimeSpan.FromTicks(ticks));
        return text.Length <= 9 && GrpcTimeout.Parse(text).Ticks >= ticks;
    }).QuickCheckThrowOnFailure();
}
