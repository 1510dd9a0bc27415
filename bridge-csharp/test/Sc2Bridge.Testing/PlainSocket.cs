using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Testing;

/// <summary>A client of the game's API that controls every byte, to imitate clients in other languages.</summary>
/// <param name="connection">The connection, already upgraded to WebSocket.</param>
/// <param name="opcode">The opcode of each request's frame: 1 for text, 2 for binary.</param>
/// <param name="masked">Whether it masks its frames, as RFC 6455 requires from clients.</param>
public sealed class PlainSocket(TcpClient connection, byte opcode, bool masked) : IDisposable
{
    private readonly byte[] _mask = masked ? [0x9D, 0x01, 0xFE, 0x38] : [];

    /// <summary>Connects to a port of this machine.</summary>
    /// <param name="port">The port.</param>
    /// <param name="opcode">The opcode of each request's frame.</param>
    /// <param name="masked">Whether it masks its frames.</param>
    /// <param name="headers">The lines of the HTTP request, without the empty line at the end.</param>
    public static async Task<PlainSocket> ConnectAsync(int port, byte opcode, bool masked, params string[] headers)
    {
        var connection = new TcpClient { NoDelay = true };
        await connection.ConnectAsync("127.0.0.1", port, Ct);
        await connection.GetStream().WriteAsync(Encoding.ASCII.GetBytes(string.Join("\r\n", headers) + "\r\n\r\n"), Ct);
        var answer = new StringBuilder();
        var next = new byte[1];
        while (!answer.ToString().EndsWith("\r\n\r\n", StringComparison.Ordinal))
        {
            await connection.GetStream().ReadExactlyAsync(next, Ct);
            answer.Append((char)next[0]);
        }

        Assert.StartsWith("HTTP/1.1 101 ", answer.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("Extensions", answer.ToString(), StringComparison.OrdinalIgnoreCase);
        return new PlainSocket(connection, opcode, masked);
    }

    public async Task SendAsync(Request request)
    {
        var payload = request.ToByteArray();
        List<byte> frame = [(byte)(0x80 | opcode)];
        var bit = masked ? 0x80 : 0;
        if (payload.Length < 126)
        {
            frame.Add((byte)(bit | payload.Length));
        }
        else
        {
            frame.AddRange([(byte)(bit | 126), (byte)(payload.Length >> 8), (byte)payload.Length]);
        }

        frame.AddRange(_mask);
        frame.AddRange(payload.Select((next, at) => masked ? (byte)(next ^ _mask[at % 4]) : next));
        await connection.GetStream().WriteAsync(frame.ToArray(), Ct);
    }

    /// <summary>The next answer. civetweb's clients treat each frame as an answer, so it must be a single frame.</summary>
    public async Task<Response> ReceiveAsync()
    {
        var (first, payload) = await ReceiveFrameAsync();
        Assert.Equal(0x82, first); // the last frame of its message, and binary
        return Response.Parser.ParseFrom(payload);
    }

    public async Task<Response> AskAsync(Request request)
    {
        await SendAsync(request);
        return await ReceiveAsync();
    }

    public async Task<(byte First, byte[] Payload)> ReceiveFrameAsync()
    {
        var header = new byte[2];
        await connection.GetStream().ReadExactlyAsync(header, Ct);
        var more = new byte[header[1] switch { 126 => 2, 127 => 8, _ => 0 }];
        await connection.GetStream().ReadExactlyAsync(more, Ct);
        var payload = new byte[more.Length switch
        {
            2 => BinaryPrimitives.ReadUInt16BigEndian(more),
            8 => (int)BinaryPrimitives.ReadUInt64BigEndian(more),
            _ => header[1],
        }];
        await connection.GetStream().ReadExactlyAsync(payload, Ct);
        return (header[0], payload);
    }

    public void Dispose() => connection.Dispose();
}
