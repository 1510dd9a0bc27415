using Microsoft.Extensions.Logging;

namespace Sc2Bridge.Streaming.Tests;

public sealed class SidePathTests
{
    [Fact]
    public void Whatever_it_throws_is_logged_once_with_its_stack_and_counted()
    {
        var logger = new KeptLog();
        var path = new SidePath("probe", logger);
        Assert.True(path.Try(1, static _ => { }));
        Assert.Null(path.Problem);
        Assert.False(path.Try("first", Fail));
        Assert.False(path.Try("second", Fail));
        Assert.Equal((2L, "first"), (path.Lost, path.Problem));
        Assert.Equal([LogLevel.Error, LogLevel.Debug], logger.Entries.Select(entry => entry.Level));
        Assert.All(logger.Entries, entry => Assert.Contains(nameof(Fail), entry.Exception?.StackTrace, StringComparison.Ordinal));
        Assert.Contains("probe: first", logger.Entries[0].Text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_loss_that_is_reported_another_way_is_not_logged_too()
    {
        var logger = new KeptLog();
        var told = new List<string>();
        var path = new SidePath("steps.csv", logger, told.Add);
        path.ReportLoss(0, "disk full");
        path.ReportLoss(5, "disk still full");
        Assert.Equal(["disk full"], told);
        Assert.Equal(5, path.Lost);
        Assert.Equal([LogLevel.Information, LogLevel.Debug], logger.Entries.Select(entry => entry.Level));
    }

    private static void Fail(string why) => throw new InvalidTimeZoneException(why);
}
