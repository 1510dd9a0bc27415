using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>What sends a measurement's frames to who subscribes.</summary>
internal interface IMeasurementSender : IAsyncDisposable
{
    SenderAddresses Addresses { get; }

    /// <summary>Waits for the subscribers, sends them the match, and waits until they have gone.</summary>
    Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct);
}

/// <summary>A process that sends measurements, one after the other: so what it uses is the sender's alone.</summary>
internal static class SendingProcess
{
    /// <summary>Idle threads sleep, as those of a bridge whose match goes at a slow pace.</summary>
    public static Option<bool> Paced { get; } = new("--paced");

    /// <summary>The command that the process runs.</summary>
    public static Command Create()
    {
        var sender = new Option<Sender>("--sender");
        var host = new Option<string>("--host") { Required = true };
        var socket = new Option<string>("--socket") { Required = true };
        return BenchCommand.Worker("send", [sender, host, socket, Paced], (parsed, ct) => RunAsync(
            parsed.GetValue(sender), parsed.GetValue(host)!, parsed.GetValue(socket)!, ct));
    }

    private static async Task RunAsync(Sender sender, string host, string socket, CancellationToken ct)
    {
        await using IMeasurementSender sends = sender == Sender.Bridge
            ? await BridgeSender.StartAsync(host, socket, ct)
            : new YardstickSender(await YardstickServer.StartAsync(host, ct));
        var addresses = sends.Addresses;
        string[] bound = [addresses.Grpc, addresses.Web, addresses.Raw];
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

    private static int Port(string address) =>
        int.Parse(address[(address.LastIndexOf(':') + 1)..], System.Globalization.CultureInfo.InvariantCulture);
}
