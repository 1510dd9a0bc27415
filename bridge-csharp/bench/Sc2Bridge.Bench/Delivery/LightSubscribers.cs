namespace Sc2Bridge.Bench;

/// <summary>What many subscribers together saw.</summary>
/// <param name="Subscribers">How many there were.</param>
/// <param name="FramesEach">What each received: its steps without a gap.</param>
/// <param name="P50Us">From the frame's arrival at the bridge to a subscriber holding it.</param>
/// <param name="P99Us">The same, exceeded by one in a hundred.</param>
internal sealed record SubscribersResult(int Subscribers, int FramesEach, double P50Us, double P99Us);

/// <summary>
/// Light subscribers of the bridge, with one process for each transport. They read a frame's step only.
/// </summary>
internal sealed class LightSubscribers : IAsyncDisposable
{
    // Until the match ends.
    private const double Seconds = 1e6;

    private readonly List<WorkerProcess> _processes = [];
    private readonly List<Task<ReceiveResult>> _results = [];

    /// <summary>Starts them and waits until the hub knows them all.</summary>
    public static async Task<LightSubscribers> StartAsync(BridgeHost host, int grpc, int web, CancellationToken ct)
    {
        var subscribers = new LightSubscribers();
        foreach (var (url, count) in ((string, int)[])[($"grpc://{host.GrpcAddress}", grpc), ($"ws://{host.WebAddress}/v1", web)])
        {
            if (count > 0)
            {
                var (process, _) = await WorkerProcess.StartAsync<object>(WorkerProcess.Own("receive"), ct);
                var order = new ReceiveOrder(url, "proto", "none", "observation", "every", count, Parse: false, 0, Seconds);
                subscribers._processes.Add(process);
                subscribers._results.Add(process.AskAsync<ReceiveOrder, ReceiveResult>(order, CancellationToken.None));
            }
        }

        Task subscribed = host.Hub.WaitForSubscribersAsync(grpc + web, ct);
        await await Task.WhenAny([subscribed, .. subscribers._results]);
        return subscribers;
    }

    /// <summary>What they saw, once the match has ended.</summary>
    /// <param name="frames">Each had them all.</param>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="CommandException">One had not.</exception>
    public async Task<SubscribersResult> ResultAsync(int frames, CancellationToken ct)
    {
        var results = await Task.WhenAll(_results).WaitAsync(ct);
        double[] delays = [.. results.SelectMany(result => result.HeldUs)];
        var subscribers = delays.Length / frames;
        return delays.Length == subscribers * frames && results.All(result => result.Lost == 0)
            ? new SubscribersResult(subscribers, frames, Statistics.Quantile(delays, 0.50), Statistics.Quantile(delays, 0.99))
            : throw new CommandException($"{delays.Length} frames came to subscribers of {frames} each");
    }

    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_processes.Select(process => process.DisposeAsync().AsTask()));
}
