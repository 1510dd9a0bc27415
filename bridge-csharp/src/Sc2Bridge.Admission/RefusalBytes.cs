using System.Buffers.Binary;
using System.Text;

namespace Sc2Bridge.Admission;

/// <summary>A refusal's line as the bytes that a client understands which has asked nothing yet.</summary>
internal delegate byte[] RefusalBytes(string line);

/// <summary>Such bytes for each protocol.</summary>
internal static class RefusalForms
{
    // RFC 9113: SETTINGS of no settings, which a connection begins with, and GOAWAY.
    private static readonly byte[] _settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    private const byte GoAway = 7;
    private const byte EnhanceYourCalm = 11;
    private const int FrameHeader = 9;
    private const int GoAwayHeader = 8;

    /// <summary>An answer of status 503.</summary>
    public static byte[] Http1(string line) => Encoding.ASCII.GetBytes(
        $"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: {line.Length + 1}\r\n"
        + $"Connection: close\r\n\r\n{line}\n");

    /// <summary>GOAWAY, whose debug data is the line: gRPC's libraries show it.</summary>
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
