using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Streaming.Tests;

public sealed class TimeBudgetTests
{
    [Fact]
    public void A_job_may_begin_when_what_the_last_one_took_is_a_twentieth_of_the_time_since()
    {
        var time = new ManualTime();
        var budget = new TimeBudget(time);
        Assert.True(budget.CanStart);
        budget.Spend(TimeSpan.FromMilliseconds(10));
        time.Advance(TimeSpan.FromMilliseconds(199));
        Assert.False(budget.CanStart);
        time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.True(budget.CanStart);
    }

    [Fact]
    public void A_quiet_time_saves_up_little()
    {
        var time = new ManualTime();
        var budget = new TimeBudget(time);
        time.Advance(TimeSpan.FromHours(1));
        Assert.True(budget.CanStart);
        budget.Spend(TimeSpan.FromMilliseconds(21));
        Assert.False(budget.CanStart);
    }

    [Fact]
    public void However_jobs_come_they_take_a_twentieth_of_the_time_and_one_more()
    {
        var (time, random) = (new ManualTime(), new Random(1));
        var budget = new TimeBudget(time);
        var (spent, passed, longest) = (TimeSpan.Zero, TimeSpan.Zero, TimeSpan.FromMilliseconds(5));
        for (var step = 0; step < 10_000; step++)
        {
            var wait = TimeSpan.FromMilliseconds(random.NextDouble() * 3);
            time.Advance(wait);
            passed += wait;
            if (budget.CanStart)
            {
                var taken = longest * random.NextDouble();
                budget.Spend(taken);
                spent += taken;
            }
        }

        Assert.InRange(spent, passed * 0.045, (passed * TimeBudget.Share) + longest);
    }
}
