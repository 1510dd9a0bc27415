using System.CommandLine;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// Subscribers that come, receive some frames and go, in a process of their own, until that is ended: each time over the
/// next transport, with the next content, compression and policy.
/// </summary>
internal static class ChurnClients
{
    private const string Name = "churn-clients";
    private const int FewestFrames = 20;
    private const int MostFrames = 180;

    private static readonly (bool IsGrpc, bool IsText)[] _transports = [(true, false), (false, false), (false, true)];
    private static readonly Content[] _contents = [Content.Observation, Content.Columns];
    private static readonly Compression[] _compressions = [Compression.None, Compression.Zstd, Compression.GroupZstd];
    private static readonly Policy[] _policies = [Policy.Every, Policy.Latest];

    /// <summary>Where they subscribe, and how many at a time.</summary>
    internal sealed record Order(string Grpc, string Web, int Count);

    /// <summary>How many kinds of subscriptions there are.</summary>
    public static int Kinds => _transports.Length * _contents.Length * _compressions.Length * _policies.Length;

    /// <summary>The command that the other process runs.</summary>
    public static Command Create() => BenchCommand.Worker(
        Name,
        [],
        (_, ct) => WorkerLoop.RunAsync<Order, object>(
            new { client = Name },
            async (order, ended) =>
            {
                await Task.WhenAll(Enumerable.Range(0, order.Count).Select(number => ComeAndGoAsync(order, number, ended)));
                return order;
            },
            ct));

    /// <summary>Starts them; disposing what is given ends them.</summary>
    public static async Task<IAsyncDisposable> StartAsync(BridgeHost host, int count, CancellationToken ct)
    {
        var (process, _) = await WorkerProcess.StartOwnAsync<object>(ct, Name);
        var failing = process.AskAsync<Order, object>(new Order(host.GrpcAddress, host.WebAddress, count), ct);
        await await Task.WhenAny(failing, host.Hub.WaitForSubscribersAsync(count, ct));
        return process;
    }

    private static async Task ComeAndGoAsync(Order order, int number, CancellationToken ct)
    {
        // Fixed seeds: each run sees the same.
        var random = new Random(number);
        for (var visit = 0; ; visit++)
        {
            var kind = random.Next(Kinds);
            var (isGrpc, isText) = _transports[kind % _transports.Length];
            kind /= _transports.Length;
            var request = new SubscribeRequest
            {
                Agent = $"client-{number}-{visit}",
                Content = _contents[kind % _contents.Length],
                Compression = _compressions[kind / _contents.Length % _compressions.Length],
                Policy = _policies[kind / _contents.Length / _compressions.Length],
            };
            var left = random.Next(FewestFrames, MostFrames);
            var url = isGrpc ? $"grpc://{order.Grpc}" : $"ws://{order.Web}/v1";
            await SubscriberClient.RunAsync(url, isText, request, _ => --left > 0, ct);
            if (left > 0)
            {
                throw new CommandException($"{request.Agent}: the stream ended {left} frames early");
            }
        }
    }
}
