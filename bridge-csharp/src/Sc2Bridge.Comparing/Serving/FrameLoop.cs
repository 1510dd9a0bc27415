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
    /// <summary>gRPC's prefix: a byte that says that a message is not compressed, and its length in four.</summary>
    public const int PrefixLength = 5;

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
    public static byte[] Framed(ReadOnlySpan<byte> message)
    {
        var framed = new byte[PrefixLength + message.Length];
        WriteFramed(framed, message);
        return framed;
    }

    /// <summary>The same into a buffer that is long enough.</summary>
    public static void WriteFramed(Span<byte> output, ReadOnlySpan<byte> message)
    {
        WritePrefix(output, message.Length);
        message.CopyTo(output[PrefixLength..]);
    }

    /// <summary>The prefix alone.</summary>
    public static void WritePrefix(Span<byte> output, int length)
    {
        output[0] = 0;
        BinaryPrimitives.WriteInt32BigEndian(output[1..], length);
    }

    /// <summary>Whether an error says that the client is no longer there.</summary>
    public static bool IsGone(Exception error) =>
        error is IOException or SocketException or WebSocketException or ConnectionAbortedException
            or ObjectDisposedException or InvalidOperationException;
}
