
namespace Sc2Bridge.Bench;

/// <summary>What measurements receive.</summary>
/// <param name="Recording">The file.</param>
/// <param name="From">The game loop to begin at; null for its first.</param>
internal sealed record PlayedMatch(string Recording, uint? From);

/// <summary>How far a comparison is.</summary>
/// <param name="Done">What is behind it, in seconds as they were planned.</param>
/// <param name="Total">What there is in all.</param>
/// <param name="Now">What is measured now.</param>
internal readonly record struct ComparisonProgress(double Done, double Total, string Now);

/// <summary>
/// Measures every measurement of a plan in every round, the rounds interleaved: so what disturbs the machine for a while
/// disturbs all measurements alike. A first round, half as long, is for starting programs and warming code, and is not kept.
/// </summary>
/// <param name="plan">What is measured.</param>
/// <param name="match">What a measurement receives.</param>
/// <param name="processes">What takes part.</param>
internal sealed class ComparisonRunner(ComparisonPlan plan, Func<Measurement, PlayedMatch> match, ProcessPool processes)
{
    // A measurement that hangs fails, and not the comparison.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Measures what is still to be measured.</summary>
    /// <param name="runs">Those that there are already; each other one as soon as it is made.</param>
    /// <param name="progress">Told before each measurement.</param>
    /// <param name="ct">Stops it.</param>
    public async Task RunAsync(RunFile runs, Action<ComparisonProgress> progress, CancellationToken ct)
    {

        // What failed is tried again: perhaps it was a process that somebody had killed.
        var known = runs.Runs.Where(run => run.Problem is null).Select(run => (run.Measurement, run.Round)).ToHashSet();
        var left = Enumerable.Range(1, plan.Rounds)
            .SelectMany(round => plan.Order(round).Select(measurement => (Measurement: measurement, Round: round)))
            .Where(next => !known.Contains((next.Measurement.Id, next.Round)))
            .ToList();
        var warming = plan.WarmUpWith(left.Select(next => next.Measurement));
        var (at, total) = (0.0, (warming.Count * plan.WarmUpMeasurementSeconds) + (left.Count * plan.MeasurementSeconds));
        foreach (var measurement in warming)
        {
            progress(new ComparisonProgress(at, total, $"warming up: {Title(measurement)}"));
            await MeasureAsync(measurement, 0, 0, plan.Seconds / 2, ct);
            at += plan.WarmUpMeasurementSeconds;
        }

        foreach (var (measurement, round) in left)
        {
            progress(new ComparisonProgress(at, total, $"round {round} of {plan.Rounds}: {Title(measurement)}"));
            runs.Add(await MeasureAsync(measurement, round, ct));
            at += plan.MeasurementSeconds;
        }

        progress(new ComparisonProgress(total, total, "done"));
    }

    /// <summary>Measures a measurement once, as long as the plan has it.</summary>
    internal Task<MeasurementRun> MeasureAsync(Measurement measurement, int round, CancellationToken ct) =>
        MeasureAsync(measurement, round, plan.WarmUpSeconds, plan.Seconds, ct);

    /// <summary>What a person reads of a measurement.</summary>
    internal static string Title(Measurement measurement) => $"{measurement.Name}, rate {measurement.RateText}";

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
        var (recording, from) = match(measurement);
        var send = new SendOrder(recording, from, measurement.Rate, measurement.Subscribers, warmUpSeconds, seconds);
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
