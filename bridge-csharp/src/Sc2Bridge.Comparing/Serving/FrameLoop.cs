using System.Buffers.Binary;
using System.Net.Sockets;
using System.Net.WebSockets;
using Google.Protobuf;
using Microsoft.AspNetCore.Connections;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Comparing.Serving;

/// <summary>What a yardstick does in place of runner and hub: each frame when it is due, to one client.</summary>
internal static class FrameLoop
{
    /// <summary>Sends the match.</summary>
    public static async Task RunAsync(MeasuredSource match, Func<ObservationFrame, ValueTask> send, CancellationToken ct)
    {
        await match.StartAsync(ct);
        long? asked = null;
        while (true)
        {
            await match.WaitAsync(asked, static () => { }, ct);
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

    /// <summary>The last event of a match.</summary>
    public static byte[] EndEvent(MeasuredSource match) => new Event { MatchEnd = match.End }.ToByteArray();

    /// <summary>A message behind gRPC's prefix.</summary>
    public static byte[] Framed(byte[] message)
    {
        var framed = new byte[ObservationFrame.GrpcPrefixLength + message.Length];
        BinaryPrimitives.WriteInt32BigEndian(framed.AsSpan(1), message.Length);
        message.CopyTo(framed, ObservationFrame.GrpcPrefixLength);
        return framed;
    }

    /// <summary>Whether an error says that the client is no longer there.</summary>
    public static bool IsGone(Exception error) =>
        error is IOException or SocketException or WebSocketException or ConnectionAbortedException
            or ObjectDisposedException or InvalidOperationException;
}
