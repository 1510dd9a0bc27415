using FsCheck;
using FsCheck.Fluent;

namespace Sc2Bridge.Bench.Tests;

/// <summary>The search for the load that is too much, on machines that are made up.</summary>
public sealed class BreakingTests
{
    private const double Close = 1.125;

    private static readonly BreakingPlan Subscribers =
        new(Load.Subscribers, Measurement.Baseline with { Agent = AgentKind.Light });

    [Fact]
    public void What_a_machine_can_bear_is_found_to_an_eighth() => Prop.ForAll(
        Gen.Choose(2, 64_000).Select(value => value / 16.0).ToArbitrary(),
        Gen.Elements(true, false).ToArbitrary(),
        (bears, isWhole) =>
        {
            var (search, tried) = Search(new BreakingSearch(64, 1, 1024, isWhole), load => load <= bears);
            return tried.Distinct().Count() == tried.Count && tried.Count <= 12
                && tried.All(load => load is >= 1 and <= 1024)
                && (!isWhole || tried.All(load => load == Math.Floor(load)))
                && (search.Kept, search.Broke) switch
                {
                    ({ } kept, { } broke) => kept <= bears && broke > bears
                        && (broke / kept <= Close || (isWhole && broke - kept <= 1)),
                    ({ } kept, null) => kept == 1024 && bears >= 1024,
                    (null, { } broke) => broke == 1 && bears < 1,
                    _ => false,
                };
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Whatever_chance_says_it_ends_between_what_was_and_what_was_not_kept_up_with() => Prop.ForAll(
        Gen.Elements(true, false).NonEmptyListOf().ToArbitrary(),
        answers =>
        {
            var at = 0;
            var (search, tried) = Search(
                new BreakingSearch(90, 1, 11_520, isWhole: false), _ => answers[at++ % answers.Count]);
            return tried.Count <= 20 && (search.Kept is null || search.Broke is null || search.Kept < search.Broke);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void It_says_no_more_once_it_has_found()
    {
        var (search, _) = Search(new BreakingSearch(1, 1, 1, isWhole: true), _ => true);
        Assert.Equal((1.0, null), (search.Kept, search.Broke));
        Assert.Throws<InvalidOperationException>(() => search.Tell(true));
    }

    [Fact]
    public void A_search_that_was_stopped_anywhere_goes_on_to_the_same_end() => Prop.ForAll(
        Gen.Choose(1, 1500).ToArbitrary(),
        bears =>
        {
            List<((string, int) Key, MeasurementRun Run)> made = [];
            var whole = Finish(made, bears);
            return Enumerable.Range(0, made.Count).All(length =>
            {
                var begun = made.Take(length).ToList();
                return Finish(begun, bears) == whole
                    && begun.Select(run => run.Key).SequenceEqual(made.Select(run => run.Key));
            });
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void What_failed_once_is_measured_again_and_chance_alone_breaks_nothing()
    {
        var asked = new List<int>();
        var (found, _) = BreakingPoint.Seek(Subscribers, (measurement, round) =>
        {
            asked.Add(round);
            return Run(measurement, round, isKept: round == 2);
        });
        Assert.Equal(BreakingPlan.MostSubscribers, found!.Kept!.Load);
        Assert.Null(found.Broke);
        Assert.Equal([1, 2], asked.Take(2));
        Assert.Contains(
            "1024 light readers at 22.4 steps a second over gRPC, which is the most that was tried", found.Words(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Kept_up_is_every_step_sent_and_heard_and_p99_within_a_period()
    {
        var measurement = Subscribers.Measurement;
        var good = Run(measurement, 1, isKept: true);
        Assert.True(BreakingPoint.KeptUp(good, measurement));
        Assert.True(BreakingPoint.KeptUp(good with { SentSteps = good.SentSteps - 1 }, measurement));
        Assert.False(BreakingPoint.KeptUp(good with { SentSteps = good.SentSteps - 5 }, measurement));
        Assert.False(BreakingPoint.KeptUp(good with { Frames = good.Frames - 5 }, measurement));
        Assert.False(BreakingPoint.KeptUp(good with { Held = Distribution.Of([measurement.PeriodUs!.Value + 1]) }, measurement));
        Assert.False(BreakingPoint.KeptUp(good with { Lost = 1 }, measurement));
        Assert.False(BreakingPoint.KeptUp(good with { Problem = "it did not end" }, measurement));
    }

    [Fact]
    public void It_is_told_what_is_kept_up_with_and_what_is_not()
    {
        var kept = new LoadRun(128, 9_000, 44_643, 22.4, 0.5, 0.5, null);
        var point = new BreakingPoint(Subscribers, kept, new LoadRun(144, 61_200, 44_643, 20, 1, 0.3, null));
        Assert.Contains("with 128 light readers at 22.4 steps a second over gRPC; with 144", point.Words(), StringComparison.Ordinal);
        Assert.Contains("p99 is 61.2 ms of a period of 44.6", point.Words(), StringComparison.Ordinal);
        var failed = point with { Broke = point.Broke! with { Problem = "no more sockets" } };
        Assert.Contains("could not be measured: no more sockets", failed.Words(), StringComparison.Ordinal);
        Assert.Contains("with no load that was tried over", (point with { Kept = null }).Words(), StringComparison.Ordinal);
    }

    internal static MeasurementRun Run(Measurement measurement, int round, bool isKept) => new()
    {
        Measurement = measurement.Id,
        Round = round,
        Subscribers = measurement.Subscribers,
        SentSteps = (long)(measurement.Rate * 2),
        SentSeconds = 2,
        Frames = (long)(measurement.Rate * 2),
        Held = Distribution.Of([measurement.PeriodUs!.Value * (isKept ? 0.5 : 1.5)]),
        SenderCpu = 0.1 + (0.01 * measurement.Subscribers * measurement.Rate / Measurement.GameRate),
        AgentCpu = 0.02 * measurement.Subscribers,
        MessageBytes = 150_000,
        MegabytesPerSecond = measurement.Rate * 0.15,
    };

    private static (BreakingSearch Search, List<double> Tried) Search(BreakingSearch search, Func<double, bool> keepsUp)
    {
        List<double> tried = [];
        while (search.Next is { } load)
        {
            tried.Add(load);
            search.Tell(keepsUp(load));
        }

        return (search, tried);
    }

    private static BreakingPoint Finish(List<((string Measurement, int Round) Key, MeasurementRun Run)> made, double bears)
    {
        while (true)
        {
            var (found, missing) = BreakingPoint.Seek(
                Subscribers, (measurement, round) => made.Find(run => run.Key == (measurement.Id, round)).Run);
            if (missing is not var (next, number))
            {
                return found!;
            }

            made.Add(((next.Id, number), Run(next, number, next.Subscribers <= bears)));
        }
    }
}
