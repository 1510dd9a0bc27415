using System.Buffers.Binary;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>A yardstick in the bridge's place: no runner and no hub, each frame when it is due to all clients in turn.</summary>
internal sealed class YardstickSender : IMeasurementSender
{
    private readonly YardstickServer _server;

    private YardstickSender(YardstickServer server) => _server = server;

    /// <inheritdoc/>
    public SenderAddresses Addresses => new(_server.GrpcAddress, _server.WebAddress, Raw: _server.RawAddress);

    /// <summary>Listens on free ports.</summary>
    public static async Task<YardstickSender> StartAsync(string host, CancellationToken ct) =>
        new(await YardstickServer.StartAsync(host, ct));

    /// <inheritdoc/>
    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        List<YardstickClient> clients = [];
        while (clients.Count < subscribers)
        {
            clients.Add(await _server.NextAsync(ct));
        }

        try
        {
            await match.StartAsync(ct);
            long? asked = null;
            while (clients.Count > 0)
            {
                await match.WaitAsync(asked, static () => { }, ct);
                if (await match.NextAsync(ct) is not { } frame)
                {
                    break;
                }

                asked = frame.Header.RequestedNs;
                try
                {
                    await SendAsync(clients, client => Encode(client, frame));
                }
                finally
                {
                    frame.Release();
                }
            }

            await SendAsync(clients, client => client.Encode(EndOf(match)));
        }
        finally
        {
            foreach (var client in clients)
            {
                await client.Leave();
            }
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _server.DisposeAsync();

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
                await client.Leave();
                clients.Remove(client);
            }
        }
    }

    private static ReadOnlyMemory<byte> Encode(YardstickClient client, ObservationFrame frame)
    {
        using var lap = EncodingClock.Run(frame);
        return client.Encode(frame.EventMessage);
    }

    private static byte[] EndOf(MeasuredSource match)
    {
        var message = new Event { MatchEnd = match.End }.ToByteArray();
        var framed = new byte[SubscriberClient.PrefixLength + message.Length];
        BinaryPrimitives.WriteInt32BigEndian(framed.AsSpan(1), message.Length);
        message.CopyTo(framed, SubscriberClient.PrefixLength);
        return framed;
    }
}
