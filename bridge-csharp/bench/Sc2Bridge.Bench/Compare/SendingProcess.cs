using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Bench;

/// <summary>Sends a measurement's frames to its subscribers.</summary>
internal interface IMeasurementSender : IAsyncDisposable
{
    SenderAddresses Addresses { get; }

    /// <summary>Waits for the subscribers, sends them the match, and waits until they have disconnected.</summary>
    Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct);
}

/// <summary>A process that sends one measurement after the other. Its resources are therefore the sender's alone.</summary>
internal static class SendingProcess
{
    /// <summary>Idle threads sleep, as in a bridge whose match has a slow pace.</summary>
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
                // Frees the memory of an earlier measurement, which must not count for this one.
                GC.Collect();
                var rate = order.Rate > 0 ? StepRate.At(order.Rate) : StepRate.Max;
                // If it ends before the time is over, it starts over.
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
