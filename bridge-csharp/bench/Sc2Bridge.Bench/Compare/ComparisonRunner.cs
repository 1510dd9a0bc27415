using System.Diagnostics;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>
/// Runs every measurement of a plan in every round. The rounds are interleaved, so that a temporary disturbance of the
/// machine affects all measurements alike. An additional first round, half as long, starts programs and warms up code. Its
/// results are dropped.
/// </summary>
/// <param name="plan">The plan.</param>
/// <param name="match">The match that each measurement receives.</param>
/// <param name="processes">The senders and receivers.</param>
internal sealed class ComparisonRunner(ComparisonPlan plan, PlayedMatch match, ProcessPool processes)
{
    // A measurement that hangs fails. The comparison continues.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly long _begun = Stopwatch.GetTimestamp();
    private volatile string _now = "";
    private volatile int _done;

    /// <summary>Formats a time for a person.</summary>
    public static string Duration(double seconds) =>
        seconds < 120 ? Invariant($"{seconds:0} s") : Invariant($"{seconds / 60:0} minutes");

    /// <summary>Measures all, and returns every run that is kept.</summary>
    public async Task<IReadOnlyList<MeasurementRun>> RunAsync(CancellationToken ct)
    {
        List<MeasurementRun> runs = [];
        for (var round = 0; round <= plan.Rounds; round++)
        {
            foreach (var measurement in plan.Order(round))
            {
                _now = $"{(round == 0 ? "warming up" : $"round {round} of {plan.Rounds}")}: {measurement.Title}";
                var isKept = round > 0;
                var run = await MeasureAsync(
                    measurement, round, isKept ? plan.WarmUpSeconds : 0, isKept ? plan.Seconds : plan.Seconds / 2, ct);
                runs.AddRange(isKept ? [run] : []);
                _done++;
            }
        }

        return runs;
    }

    /// <summary>The progress.</summary>
    public IReadOnlyList<ProgressRow> Rows(int most)
    {
        var all = plan.Measurements.Count * (plan.Rounds + 1);
        var rate = _done / Math.Max(1e-3, Stopwatch.GetElapsedTime(_begun).TotalSeconds);
        return
        [
            new(ProgressRow.TimeLeft(all - _done, rate), Invariant($"{_done} of {all} measurements"), Invariant($"{60 * rate:0.0} a minute"))
            {
                Done = (double)_done / all,
            },
            new(_now),
        ];
    }

    private async Task<MeasurementRun> MeasureAsync(
        Measurement measurement, int round, double warmUpSeconds, double seconds, CancellationToken ct)
    {
        using var hanging = CancellationTokenSource.CreateLinkedTokenSource(ct);
        hanging.CancelAfter(Patience + TimeSpan.FromSeconds(warmUpSeconds + seconds));
        string problem;
        try
        {
            return await TryAsync(measurement, round, warmUpSeconds, seconds, hanging.Token);
        }
        catch (CommandException failed)
        {
            problem = failed.Message;
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            problem = $"it did not end within {Patience.TotalSeconds:0} s";
        }

        // The senders and receivers may be in an unknown state. The next measurement gets new ones.
        await processes.DiscardAsync(measurement);
        return new MeasurementRun { Measurement = measurement.Id, Round = round, Problem = problem };
    }

    private async Task<MeasurementRun> TryAsync(
        Measurement measurement, int round, double warmUpSeconds, double seconds, CancellationToken ct)
    {
        using var failing = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var (sender, addresses) = await processes.SenderAsync(measurement, ct);
        var agent = await processes.AgentAsync(measurement, ct);
        var order = ReceiveOrder.Of(measurement, addresses.Url(measurement), warmUpSeconds, seconds);
        var send = new SendOrder(match.Recording, match.From, measurement.Rate, measurement.Subscribers, warmUpSeconds, seconds);
        var sending = sender.AskAsync<SendOrder, SendResult>(send, failing.Token);
        var receiving = agent.AskAsync<ReceiveOrder, ReceiveResult>(order, failing.Token);
        var subscribers = order with { Subscribers = measurement.Subscribers - 1, Parse = false };
        var reading = subscribers.Subscribers == 0
            ? Task.FromResult<ReceiveResult?>(null)
            : (await processes.SubscribersAsync(measurement, ct)).AskAsync<ReceiveOrder, ReceiveResult?>(subscribers, failing.Token);
        await Turns.AllAsync(failing, sending, receiving, reading);
        return MeasurementRun.Of(measurement, round, await sending, await receiving, await reading);
    }
}
