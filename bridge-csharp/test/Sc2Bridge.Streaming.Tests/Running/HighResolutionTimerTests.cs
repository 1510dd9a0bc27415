namespace Sc2Bridge.Streaming.Tests;

public sealed class HighResolutionTimerTests
{
    [Fact]
    public async Task A_wait_continues_on_the_timers_own_thread_and_not_before_it_is_due()
    {
        var timer = new HighResolutionTimer();
        for (var wait = 20_000_000L; ; wait *= 2)
        {
            var caller = Environment.CurrentManagedThreadId;
            var due = MonotonicClock.NowNs + wait;
            var (now, thread, isPooled) = await timer.WaitUntilAsync(due, Ct).AsTask().ContinueWith(
                static _ => (MonotonicClock.NowNs, Environment.CurrentManagedThreadId, Thread.CurrentThread.IsThreadPoolThread),
                Ct, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            Assert.True(now >= due);
            if (thread != caller)
            {
                Assert.False(isPooled);
                return;
            }

            // On a busy machine, the wait may end before the continuation is attached. The continuation then runs here, so wait longer.
            Assert.True(wait < 10_000_000_000, "every continuation ran on the caller's thread");
        }
    }

    [Fact]
    public async Task A_wait_does_not_block_its_caller_ends_at_once_when_cancelled_and_does_not_begin_for_a_past_moment()
    {
        var timer = new HighResolutionTimer();
        using var stop = new CancellationTokenSource();
        var wait = timer.WaitUntilAsync(MonotonicClock.NowNs + 3_600_000_000_000, stop.Token).AsTask();
        Assert.False(wait.IsCompleted);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await timer.WaitUntilAsync(long.MaxValue, Ct));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait.WaitAsync(TimeSpan.FromMinutes(1), Ct));
        Assert.True(timer.WaitUntilAsync(MonotonicClock.NowNs, Ct).AsTask().IsCompletedSuccessfully);
    }
}
