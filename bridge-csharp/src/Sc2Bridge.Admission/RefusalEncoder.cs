using System.Buffers.Binary;
using System.Text;

namespace Sc2Bridge.Admission;

/// <summary>Encodes a refusal's line for a client that has not sent a request yet.</summary>
internal delegate byte[] RefusalEncoder(string line);

/// <summary>Encodes refusals for each protocol.</summary>
internal static class RefusalEncoders
{
    // RFC 9113: each side of an HTTP/2 connection first sends a SETTINGS frame; this frame is empty. GOAWAY ends the connection.
    private static readonly byte[] _settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    private const byte GoAway = 7;
    private const byte EnhanceYourCalm = 11;
    private const int FrameHeader = 9;
    private const int GoAwayHeader = 8;

    /// <summary>An HTTP answer with status 503.</summary>
    public static byte[] Http1(string line) => Encoding.ASCII.GetBytes(
        $"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: {line.Length + 1}\r\n"
        + $"Connection: close\r\n\r\n{line}\n");

    /// <summary>GOAWAY with the line as its debug data, which gRPC libraries show.</summary>
    public static byte[] Http2(string line)
    {
        var frame = new byte[_settings.Length + FrameHeader + GoAwayHeader + line.Length];
        _settings.CopyTo(frame, 0);
        var goAway = frame.AsSpan(_settings.Length);
        BinaryPrimitives.WriteUInt32BigEndian(goAway, ((uint)(GoAwayHeader + line.Length) << 8) | GoAway);
        goAway[FrameHeader + GoAwayHeader - 1] = EnhanceYourCalm;
        Encoding.ASCII.GetBytes(line, goAway[(FrameHeader + GoAwayHeader)..]);
        return frame;
    }
}
