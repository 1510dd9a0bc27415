using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>A yardstick in the bridge's place: no runner and no hub, each frame when it is due to all clients in turn.</summary>
internal sealed class YardstickSender(YardstickServer server) : IMeasurementSender
{
    public SenderAddresses Addresses => new(
        server.GrpcAddress, server.WebAddress, Raw: server.RawAddress, Memory: server.MemoryAddress, RawUnix: server.RawUnixAddress);

    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        List<YardstickClient> clients = [];
        while (clients.Count < subscribers)
        {
            clients.Add(await server.NextAsync(ct));
        }

        try
        {
            await PlayAsync(match, frame => SendAsync(clients, client => Encode(client, frame)), ct);
            await SendAsync(clients, client => client.Encode is { } encode ? encode(EndOf(match)) : EndOf(match));
        }
        finally
        {
            clients.ForEach(client => client.Leave());
        }
    }

    /// <summary>Gives each frame of a match when it is due.</summary>
    internal static async Task PlayAsync(MeasuredSource match, Func<ObservationFrame, Task> send, CancellationToken ct)
    {
        await match.StartAsync(ct);
        long? asked = null;
        while (true)
        {
            await match.WaitAsync(asked, ct);
            if (await match.NextAsync(ct) is not { } frame)
            {
                return;
            }

            asked = frame.Header.RequestedNs;
            try
            {
                await send(frame);
            }
            finally
            {
                frame.Release();
            }
        }
    }

    public ValueTask DisposeAsync() => server.DisposeAsync();

    private static async Task SendAsync(
        List<YardstickClient> clients, Func<YardstickClient, ReadOnlyMemory<byte>> message)
    {
        foreach (var client in clients.ToArray())
        {
            try
            {
                await client.Send(message(client));
            }
            catch (Exception gone) when (YardstickClient.IsGone(gone))
            {
                // One that has received enough leaves.
                client.Leave();
                clients.Remove(client);
            }
        }
    }

    private static ReadOnlyMemory<byte> Encode(YardstickClient client, ObservationFrame frame)
    {
        if (client.Encode is not { } encode)
        {
            return frame.EventMessage;
        }

        using var lap = EncodingClock.StartLap(frame);
        return encode(frame.EventMessage);
    }

    private static byte[] EndOf(MeasuredSource match) => new PlayResponse { MatchEnd = match.End }.ToByteArray();
}
