using Sc2Bridge.Comparing.Cells;
using Sc2Bridge.Comparing.Results;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Comparing.Running;

/// <summary>What cells hear.</summary>
/// <param name="Recording">The file.</param>
/// <param name="From">The game loop to begin at; null for its first.</param>
public sealed record HeardMatch(string Recording, uint? From);

/// <summary>How far a comparison is.</summary>
/// <param name="Done">What is behind it, in seconds as they were planned.</param>
/// <param name="Total">What there is in all.</param>
/// <param name="Now">What is measured now.</param>
public readonly record struct ComparisonProgress(double Done, double Total, string Now);

/// <summary>
/// Measures every cell of a plan in every round, the rounds interleaved: so what disturbs the machine for a while
/// disturbs all cells alike. A first round, half as long, is for starting programs and warming code, and is not kept.
/// </summary>
/// <param name="plan">What is measured.</param>
/// <param name="match">What a cell hears.</param>
/// <param name="processes">What takes part.</param>
public sealed class ComparisonRunner(ComparisonPlan plan, Func<Cell, HeardMatch> match, ProcessPool processes)
{
    // A cell that hangs fails, and not the comparison.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Measures what is still to be measured.</summary>
    /// <param name="runs">Those that there are already; each other one as soon as it is made.</param>
    /// <param name="progress">Told before each cell.</param>
    /// <param name="ct">Stops it.</param>
    public async Task RunAsync(RunFile runs, Action<ComparisonProgress> progress, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(runs);
        ArgumentNullException.ThrowIfNull(progress);

        // What failed is tried again: perhaps it was a process that somebody had killed.
        var known = runs.Runs.Where(run => run.Problem is null).Select(run => (run.Cell, run.Round)).ToHashSet();
        var left = Enumerable.Range(1, plan.Rounds)
            .SelectMany(round => plan.Order(round).Select(cell => (Cell: cell, Round: round)))
            .Where(next => !known.Contains((next.Cell.Id, next.Round)))
            .ToList();
        var warming = plan.WarmUpWith(left.Select(next => next.Cell));
        var (at, total) = (0.0, (warming.Count * plan.WarmUpCellSeconds) + (left.Count * plan.CellSeconds));
        foreach (var cell in warming)
        {
            progress(new ComparisonProgress(at, total, $"warming up: {Title(cell)}"));
            await MeasureAsync(cell, 0, 0, plan.Seconds / 2, ct);
            at += plan.WarmUpCellSeconds;
        }

        foreach (var (cell, round) in left)
        {
            progress(new ComparisonProgress(at, total, $"round {round} of {plan.Rounds}: {Title(cell)}"));
            runs.Add(await MeasureAsync(cell, round, ct));
            at += plan.CellSeconds;
        }

        progress(new ComparisonProgress(total, total, "done"));
    }

    /// <summary>Measures a cell once, as long as the plan has it.</summary>
    internal Task<CellRun> MeasureAsync(Cell cell, int round, CancellationToken ct) =>
        MeasureAsync(cell, round, plan.WarmUpSeconds, plan.Seconds, ct);

    /// <summary>What a person reads of a cell.</summary>
    internal static string Title(Cell cell) => $"{cell.Name}, rate {cell.RateText}";

    private async Task<CellRun> MeasureAsync(
        Cell cell, int round, double warmUpSeconds, double seconds, CancellationToken ct)
    {
        using var hanging = CancellationTokenSource.CreateLinkedTokenSource(ct);
        hanging.CancelAfter(Patience + TimeSpan.FromSeconds(warmUpSeconds + seconds));
        try
        {
            return await TryAsync(cell, round, warmUpSeconds, seconds, hanging.Token);
        }
        catch (MeasuringException problem)
        {
            return await FailedAsync(problem.Message);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            return await FailedAsync($"it did not end within {Patience.TotalSeconds:0} s");
        }

        // What took part may be in the middle of something: the next cell gets new ones.
        async Task<CellRun> FailedAsync(string problem)
        {
            await processes.DiscardAsync(cell);
            return new CellRun { Cell = cell.Id, Round = round, Problem = problem };
        }
    }

    private async Task<CellRun> TryAsync(
        Cell cell, int round, double warmUpSeconds, double seconds, CancellationToken ct)
    {
        using var failing = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var (sender, addresses) = await processes.SenderAsync(cell, ct);
        var agent = await processes.AgentAsync(cell, ct);
        var order = HearOrder.Of(cell, addresses.Url(cell), warmUpSeconds, seconds);
        var (recording, from) = match(cell);
        var send = new SendOrder(recording, from, cell.Rate, cell.Subscribers, warmUpSeconds, seconds);
        var sending = sender.AskAsync<SendOrder, SendResult>(send, failing.Token);
        var hearing = agent.AskAsync<HearOrder, HearResult>(order, failing.Token);
        var read = order with { Readers = cell.Subscribers - order.Readers, Parse = false };
        var reading = read.Readers > 0
            ? (await processes.ReadersAsync(cell, ct)).AskAsync<HearOrder, HearResult>(read, failing.Token)
            : null;
        List<Task> all = reading is null ? [sending, hearing] : [sending, hearing, reading];

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

        return CellRun.Of(cell, round, await sending, await hearing, reading is null ? null : await reading);
    }
}
