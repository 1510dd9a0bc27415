namespace Sc2Bridge.Streaming.Tests;

public sealed class HighResolutionTimerTests
{
    [Fact]
    public async Task The_thread_that_asks_is_not_slept_on()
    {
        var timer = new HighResolutionTimer();
        for (var attempt = 0; attempt < 1000; attempt++)
        {
            // Two milliseconds: too short for a timer. On a busy machine they may pass before this thread goes on.
            var due = MonotonicClock.NowNs + 2_000_000;
            var wait = timer.UntilAsync(due, Ct).AsTask();
            var isFree = !wait.IsCompleted;
            await wait;
            Assert.True(MonotonicClock.NowNs >= due);
            if (isFree)
            {
                return;
            }
        }

        Assert.Fail("The caller's thread was slept on.");
    }

    [Fact]
    public async Task Who_waits_goes_on_upon_no_thread_of_the_pool()
    {
        var timer = new HighResolutionTimer();
        for (var attempt = 0; attempt < 100; attempt++)
        {
            // On a busy machine the moment may come before this thread waits for it: then it goes on where it is.
            var due = MonotonicClock.NowNs + 20_000_000;
            var onPool = await WaitAsync(due);
            Assert.True(MonotonicClock.NowNs >= due);
            if (!onPool)
            {
                return;
            }
        }

        Assert.Fail("Every wait ended on a thread of the pool.");

        async Task<bool> WaitAsync(long due)
        {
            await timer.UntilAsync(due, Ct).ConfigureAwait(false);
            return Thread.CurrentThread.IsThreadPoolThread;
        }
    }

    [Fact]
    public async Task A_wait_is_given_up_at_once_and_what_is_past_is_not_waited_for()
    {
        var timer = new HighResolutionTimer();
        using var stop = new CancellationTokenSource();
        var wait = timer.UntilAsync(MonotonicClock.NowNs + 3_600_000_000_000, stop.Token).AsTask();
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await timer.UntilAsync(long.MaxValue, Ct));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait.WaitAsync(TimeSpan.FromMinutes(1), Ct));
        Assert.True(timer.UntilAsync(MonotonicClock.NowNs, Ct).AsTask().IsCompletedSuccessfully);
    }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;
}
