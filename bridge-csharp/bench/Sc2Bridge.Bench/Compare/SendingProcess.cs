using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>What sends a measurement's frames to who subscribes.</summary>
internal interface IMeasurementSender : IAsyncDisposable
{
    /// <summary>Where it is reached.</summary>
    SenderAddresses Addresses { get; }

    /// <summary>Waits for the subscribers, sends them the match, and waits until they have gone.</summary>
    Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct);
}

/// <summary>A process that sends measurements, one after the other: so what it uses is the sender's alone.</summary>
internal static class SendingProcess
{
    /// <summary>Obeys until its standard input ends.</summary>
    /// <param name="sender">What it is to be.</param>
    /// <param name="host">The address to listen on.</param>
    /// <param name="socket">Where a bridge's Unix socket is to be: who removes its folder started this.</param>
    /// <param name="ct">Ends it.</param>
    public static async Task RunAsync(Sender sender, string host, string socket, CancellationToken ct)
    {
        await using var sends = await StartAsync(sender, host, socket, ct);
        var addresses = sends.Addresses;
        string[] bound = [addresses.Grpc, addresses.Web, addresses.Raw, addresses.Api];
        int[] ports = [.. bound.Where(text => text.Length > 0).Select(Port)];
        await WorkerLoop.RunAsync<SendOrder, SendResult>(
            addresses,
            async (order, ended) =>
            {
                // What an earlier measurement left behind is not this one's memory.
                GC.Collect();
                var rate = order.Rate > 0 ? StepRate.At(order.Rate) : StepRate.Max;
                // It may be over before its time is: it starts over then.
                await using var recorded = RecordedSource.Open(
                    order.Recording, new PlaybackOptions { Rate = rate, From = order.From, Repeats = true });
                var match = new MeasuredSource(recorded, recorded, order, () => ProcessSample.Take(ports));
                await sends.SendAsync(match, order.Subscribers, ended);
                return match.Result();
            },
            ct);
    }

    private static async Task<IMeasurementSender> StartAsync(
        Sender sender, string host, string socket, CancellationToken ct) => sender switch
        {
            Sender.Bridge => await BridgeSender.StartAsync(host, socket, ct),
            Sender.Game => await GameSender.StartAsync(host, ct),
            _ => await YardstickSender.StartAsync(host, ct),
        };

    private static int Port(string address) =>
        int.Parse(address[(address.LastIndexOf(':') + 1)..], System.Globalization.CultureInfo.InvariantCulture);
}
