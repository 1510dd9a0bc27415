using System.Diagnostics;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// Measures every measurement of a plan in every round, the rounds interleaved: so what disturbs the machine for a while
/// disturbs all measurements alike. A first round, half as long, is for starting programs and warming code, and is not
/// kept. Then makes the plan's searches.
/// </summary>
/// <param name="plan">What is measured.</param>
/// <param name="match">What a measurement receives.</param>
/// <param name="processes">What takes part.</param>
/// <param name="runs">What there is, and where each run goes as soon as it is made.</param>
/// <param name="say">Told now and then how far it is.</param>
internal sealed class ComparisonRunner(
    ComparisonPlan plan, PlayedMatch match, ProcessPool processes, RunFile runs, Action<string> say)
{
    // A measurement that hangs fails, and not the comparison.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan BetweenLines = TimeSpan.FromSeconds(10);

    private readonly long _begun = Stopwatch.GetTimestamp();
    private double _done;
    private double _total;
    private long _said;

    /// <summary>A time as a person says it.</summary>
    public static string Duration(double seconds) =>
        seconds < 120 ? Invariant($"{seconds:0} s") : Invariant($"{seconds / 60:0} minutes");

    /// <summary>Measures what is still to be measured.</summary>
    public async Task RunAsync(CancellationToken ct)
    {
        // What failed is tried again: perhaps it was a process that somebody had killed.
        var known = runs.Runs.Where(run => run.Problem is null).Select(run => (run.Measurement, run.Round)).ToHashSet();
        var left = Enumerable.Range(1, plan.Rounds)
            .SelectMany(round => plan.Order(round).Select(measurement => (Measurement: measurement, Round: round)))
            .Where(next => !known.Contains((next.Measurement.Id, next.Round)))
            .ToList();
        var warming = left.Select(next => next.Measurement).Distinct().ToList();
        var searching = BreakingPlan.EstimateSeconds(plan.SearchSeconds);
        _total = (warming.Count * plan.WarmUpMeasurementSeconds) + (left.Count * plan.MeasurementSeconds)
            + (plan.Searches.Count * searching);
        foreach (var measurement in warming)
        {
            Say($"warming up: {measurement.Title}");
            await MeasureAsync(measurement, 0, 0, plan.Seconds / 2, ct);
            _done += plan.WarmUpMeasurementSeconds;
        }

        foreach (var (measurement, round) in left)
        {
            Say($"round {round} of {plan.Rounds}: {measurement.Title}");
            runs.Add(await MeasureAsync(measurement, round, plan.WarmUpSeconds, plan.Seconds, ct));
            _done += plan.MeasurementSeconds;
        }

        foreach (var search in plan.Searches)
        {
            while (BreakingPoint.Seek(search, Known).Missing is var (measurement, round))
            {
                Say($"breaking point: {measurement.Title}{(round > 1 ? ", once more" : "")}");
                runs.Add(await MeasureAsync(measurement, round, BreakingPlan.WarmUpSeconds, plan.SearchSeconds, ct));
            }

            _done += searching;
        }

        MeasurementRun? Known(Measurement measurement, int round) =>
            runs.Runs.FirstOrDefault(run => run.Measurement == measurement.Id && run.Round == round);
    }

    private void Say(string now)
    {
        if (_done > 0 && Stopwatch.GetElapsedTime(_said) >= BetweenLines)
        {
            _said = Stopwatch.GetTimestamp();
            var left = Stopwatch.GetElapsedTime(_begun) / _done * (_total - _done);
            say(Invariant($"{_done / _total * 100:0} %, {Duration(left.TotalSeconds)} left; {now}"));
        }
    }

    private async Task<MeasurementRun> MeasureAsync(
        Measurement measurement, int round, double warmUpSeconds, double seconds, CancellationToken ct)
    {
        using var hanging = CancellationTokenSource.CreateLinkedTokenSource(ct);
        hanging.CancelAfter(Patience + TimeSpan.FromSeconds(warmUpSeconds + seconds));
        try
        {
            return await TryAsync(measurement, round, warmUpSeconds, seconds, hanging.Token);
        }
        catch (CommandException problem)
        {
            return await FailedAsync(problem.Message);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            return await FailedAsync($"it did not end within {Patience.TotalSeconds:0} s");
        }

        // What took part may be in the middle of something: the next measurement gets new ones.
        async Task<MeasurementRun> FailedAsync(string problem)
        {
            await processes.DiscardAsync(measurement);
            return new MeasurementRun { Measurement = measurement.Id, Round = round, Problem = problem };
        }
    }

    private async Task<MeasurementRun> TryAsync(
        Measurement measurement, int round, double warmUpSeconds, double seconds, CancellationToken ct)
    {
        using var failing = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var (sender, addresses) = await processes.SenderAsync(measurement, ct);
        var agent = await processes.AgentAsync(measurement, ct);
        var order = ReceiveOrder.Of(measurement, addresses.Url(measurement), warmUpSeconds, seconds);
        var send = new SendOrder(
            match.Recording, match.From, measurement.Rate, measurement.Subscribers, warmUpSeconds, seconds);
        var sending = sender.AskAsync<SendOrder, SendResult>(send, failing.Token);
        var receiving = agent.AskAsync<ReceiveOrder, ReceiveResult>(order, failing.Token);
        var read = order with { Readers = measurement.Subscribers - order.Readers, Parse = false };
        var reading = read.Readers > 0
            ? (await processes.ReadersAsync(measurement, ct)).AskAsync<ReceiveOrder, ReceiveResult>(read, failing.Token)
            : null;
        List<Task> all = reading is null ? [sending, receiving] : [sending, receiving, reading];

        // Whichever fails first says why; the others would wait for ever.
        while (all.Count > 0)
        {
            var next = await Task.WhenAny(all);
            all.Remove(next);
            if (!next.IsCompletedSuccessfully)
            {
                await failing.CancelAsync();
                await next;
            }
        }

        return MeasurementRun.Of(measurement, round, await sending, await receiving, reading is null ? null : await reading);
    }
}
