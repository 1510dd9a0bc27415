using System.CommandLine;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>How many readers there are to be, where, and for how long.</summary>
internal sealed record ReadersOrder(string Grpc, int GrpcCount, string Web, int WebCount, int Frames);

/// <summary>What many readers together saw.</summary>
/// <param name="Readers">How many there were.</param>
/// <param name="FramesEach">What each received: its steps without a gap.</param>
/// <param name="P50Us">From the frame's arrival at the bridge to a reader holding it.</param>
/// <param name="P99Us">The same, exceeded by one in a hundred.</param>
internal sealed record ReadersResult(int Readers, int FramesEach, double P50Us, double P99Us);

/// <summary>
/// Light readers of the bridge, in a process of their own: they look at a frame's step and let it go.
/// </summary>
internal sealed class Readers : IAsyncDisposable
{
    private const string Name = "readers";

    private readonly WorkerProcess _process;

    private Readers(WorkerProcess process, Task<ReadersResult> result) => (_process, Result) = (process, result);

    /// <summary>What they saw, when each has had all its frames; fails as soon as one of them does.</summary>
    public Task<ReadersResult> Result { get; }

    /// <summary>The command that the other process runs.</summary>
    public static Command Create() => BenchCommand.Worker(
        Name,
        [],
        (_, ct) => WorkerLoop.RunAsync<ReadersOrder, ReadersResult>(new { reader = Name }, ReadAsync, ct));

    /// <summary>Starts them and waits until the hub knows them all.</summary>
    public static async Task<Readers> StartAsync(
        BridgeHost host, int grpc, int web, int frames, CancellationToken ct)
    {
        var (process, _) = await WorkerProcess.StartOwnAsync<object>(ct, Name);
        var order = new ReadersOrder(host.GrpcAddress, grpc, host.WebAddress, web, frames);
        var readers = new Readers(process, process.AskAsync<ReadersOrder, ReadersResult>(order, CancellationToken.None));
        var subscribed = host.Hub.WaitForSubscribersAsync(grpc + web, ct);
        await await Task.WhenAny(subscribed, readers.Result);
        return readers;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private static async Task<ReadersResult> ReadAsync(ReadersOrder order, CancellationToken ct)
    {
        var urls = Enumerable.Repeat($"grpc://{order.Grpc}", order.GrpcCount)
            .Concat(Enumerable.Repeat($"ws://{order.Web}/v1", order.WebCount));
        var read = await Task.WhenAll(urls.Select((url, number) => ReadAsync(url, $"reader-{number}", order.Frames, ct)));
        var delays = read.SelectMany(each => each).ToArray();
        return new ReadersResult(
            read.Length, order.Frames, Statistics.Quantile(delays, 0.50), Statistics.Quantile(delays, 0.99));
    }

    // Every frame, and the game waits for who is slow: so that none may be lost.
    private static async Task<List<double>> ReadAsync(string url, string name, int frames, CancellationToken ct)
    {
        var delays = new List<double>(frames);
        ulong? previous = null;
        var request = new SubscribeRequest { Policy = Policy.Every, Overflow = Overflow.Pause, Agent = name };
        await SubscriberClient.RunAsync(
            url,
            isText: false,
            request,
            message =>
            {
                var now = MonotonicClock.NowNs;
                var (step, observed) = FrameHead.Read(message, isText: false)
                    ?? throw new CommandException($"{name}: an event came that is no frame");
                if (previous is { } last && step != last + 1)
                {
                    throw new CommandException($"{name}: step {step} came after step {last}");
                }

                previous = step;
                delays.Add((now - observed) / 1000.0);
                return delays.Count < frames;
            },
            ct);
        return delays.Count == frames
            ? delays
            : throw new CommandException($"{name}: the stream ended after {delays.Count} frames");
    }
}
