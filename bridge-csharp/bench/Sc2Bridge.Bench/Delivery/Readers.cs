namespace Sc2Bridge.Bench;

/// <summary>What many readers together saw.</summary>
/// <param name="Readers">How many there were.</param>
/// <param name="FramesEach">What each received: its steps without a gap.</param>
/// <param name="P50Us">From the frame's arrival at the bridge to a reader holding it.</param>
/// <param name="P99Us">The same, exceeded by one in a hundred.</param>
internal sealed record ReadersResult(int Readers, int FramesEach, double P50Us, double P99Us);

/// <summary>
/// Light readers of the bridge, with one process for each transport. They read a frame's step only.
/// </summary>
internal sealed class Readers : IAsyncDisposable
{
    // Until the match ends.
    private const double Seconds = 1e6;

    private readonly List<WorkerProcess> _processes = [];
    private readonly List<Task<ReceiveResult>> _results = [];

    /// <summary>Starts them and waits until the hub knows them all.</summary>
    public static async Task<Readers> StartAsync(BridgeHost host, int grpc, int web, CancellationToken ct)
    {
        var readers = new Readers();
        foreach (var (url, count) in ((string, int)[])[($"grpc://{host.GrpcAddress}", grpc), ($"ws://{host.WebAddress}/v1", web)])
        {
            if (count > 0)
            {
                var (process, _) = await WorkerProcess.StartAsync<object>(WorkerProcess.Own("receive"), ct);
                var order = new ReceiveOrder(url, "proto", "none", "observation", "every", count, Parse: false, 0, Seconds);
                readers._processes.Add(process);
                readers._results.Add(process.AskAsync<ReceiveOrder, ReceiveResult>(order, CancellationToken.None));
            }
        }

        Task subscribed = host.Hub.WaitForSubscribersAsync(grpc + web, ct);
        await await Task.WhenAny([subscribed, .. readers._results]);
        return readers;
    }

    /// <summary>What they saw, once the match has ended.</summary>
    /// <param name="frames">Each had them all.</param>
    /// <param name="ct">Ends the waiting.</param>
    /// <exception cref="CommandException">One had not.</exception>
    public async Task<ReadersResult> ResultAsync(int frames, CancellationToken ct)
    {
        var results = await Task.WhenAll(_results).WaitAsync(ct);
        double[] delays = [.. results.SelectMany(result => result.HeldUs)];
        var readers = delays.Length / frames;
        return delays.Length == readers * frames && results.All(result => result.Lost == 0)
            ? new ReadersResult(readers, frames, Statistics.Quantile(delays, 0.50), Statistics.Quantile(delays, 0.99))
            : throw new CommandException($"{delays.Length} frames came to readers of {frames} each");
    }

    public async ValueTask DisposeAsync() =>
        await Task.WhenAll(_processes.Select(process => process.DisposeAsync().AsTask()));
}
