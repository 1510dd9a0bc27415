using System.Buffers.Binary;
using System.Net.Sockets;

namespace Sc2Bridge.Server.Tests;

/// <summary>
/// HTTP/2 frames (RFC 9113) written by hand, for bytes that no correct client sends. The server's bytes are read and
/// counted, unless the test needs a client that does not read.
/// </summary>
internal sealed class RawHttp2 : IDisposable
{
    public const byte Data = 0;
    public const byte Headers = 1;
    public const byte ResetStream = 3;
    public const byte Settings = 4;
    public const byte Ping = 6;
    public const byte GoAway = 7;
    public const byte WindowUpdate = 8;
    public const byte Continuation = 9;

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    /// <summary>Connects, and sends the preface with these settings.</summary>
    public static async Task<RawHttp2> ConnectAsync(string address, params (ushort Id, uint Value)[] settings)
    {
        var client = new RawHttp2();
        await client._socket.ConnectAsync(IPEndPoint.Parse(address), Ct);
        var payload = new byte[6 * settings.Length];
        for (var i = 0; i < settings.Length; i++)
        {
            BinaryPrimitives.WriteUInt16BigEndian(payload.AsSpan(6 * i), settings[i].Id);
            BinaryPrimitives.WriteUInt32BigEndian(payload.AsSpan(6 * i + 2), settings[i].Value);
        }

        await client.SendAsync([.. "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8, .. Frame(Settings, 0, 0, payload)]);
        return client;
    }

    /// <summary>One frame.</summary>
    public static byte[] Frame(byte type, byte flags, uint stream, ReadOnlySpan<byte> payload)
    {
        var frame = new byte[9 + payload.Length];
        BinaryPrimitives.WriteUInt32BigEndian(frame, (uint)payload.Length << 8);
        frame[3] = type;
        frame[4] = flags;
        BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(5), stream);
        payload.CopyTo(frame.AsSpan(9));
        return frame;
    }

    /// <summary>A gRPC call's headers: each field written out, nothing indexed (RFC 7541, section 6.2.2).</summary>
    public static byte[] CallHeaders(string path, params (string Name, string Value)[] more)
    {
        var block = new MemoryStream();
        foreach (var (name, value) in ((string, string)[])[
            (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
            ("content-type", "application/grpc"), ("te", "trailers"), .. more])
        {
            block.WriteByte(0);
            WriteText(block, name);
            WriteText(block, value);
        }

        return block.ToArray();
    }

    /// <summary>A complete call with one message: HEADERS and DATA.</summary>
    public static byte[] Call(uint stream, byte[] headers, byte[] message) =>
    [.. Frame(Headers, 4, stream, headers), .. Frame(Data, 1, stream, [0, 0, 0, 0, (byte)message.Length, .. message])];

    public async Task SendAsync(byte[] bytes) => await _socket.SendAsync(bytes, Ct);

    /// <summary>Sends while the server reads. False if the server closed the connection meanwhile.</summary>
    public async Task<bool> TrySendAsync(byte[] bytes)
    {
        try
        {
            for (var sent = 0; sent < bytes.Length;)
            {
                sent += await _socket.SendAsync(bytes.AsMemory(sent), Ct);
            }

            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>Sends until the server stops reading and its socket is full. Returns the number of bytes that it did not take.</summary>
    public int SendUntilFull(byte[] bytes)
    {
        _socket.Blocking = false;
        var left = bytes.Length;
        while (left > 0 && _socket.Poll(TimeSpan.FromSeconds(1), SelectMode.SelectWrite))
        {
            left -= _socket.Send(bytes.AsSpan(bytes.Length - left), SocketFlags.None, out var error);
            if (error is not (SocketError.Success or SocketError.WouldBlock))
            {
                break;
            }
        }

        _socket.Blocking = true;
        return left;
    }

    /// <summary>Reads until the server closes. Returns GOAWAY's error code. Null if there was no GOAWAY.</summary>
    public async Task<uint?> GoneWithAsync()
    {
        uint? code = null;
        var bytes = new MemoryStream();
        var buffer = new byte[64 << 10];
        try
        {
            while (await _socket.ReceiveAsync(buffer, Ct) is > 0 and var read)
            {
                bytes.Write(buffer, 0, read);
            }
        }
        catch (SocketException)
        {
            // Reset, because some of our bytes were unread.
        }

        ReadOnlySpan<byte> left = bytes.ToArray();
        while (left.Length >= 9)
        {
            var length = (int)(BinaryPrimitives.ReadUInt32BigEndian(left) >> 8);
            if (left.Length < 9 + length)
            {
                break;
            }

            code = left[3] == GoAway ? BinaryPrimitives.ReadUInt32BigEndian(left[13..]) : code;
            left = left[(9 + length)..];
        }

        return code;
    }

    public void Dispose() => _socket.Dispose();

    private static void WriteText(MemoryStream block, string text)
    {
        // The length in seven bits, and the rest in groups of seven (RFC 7541, section 5.1).
        var length = text.Length;
        block.WriteByte((byte)Math.Min(length, 127));
        for (length -= 127; length >= 0; length = length >= 128 ? length >> 7 : -1)
        {
            block.WriteByte((byte)(length >= 128 ? length | 0x80 : length));
        }

        block.Write(System.Text.Encoding.ASCII.GetBytes(text));
    }
}
