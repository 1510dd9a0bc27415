using System.Net.WebSockets;
using System.Text;

namespace Sc2Bridge.Protocol;

/// <summary>How a WebSocket connection ends.</summary>
public static class WebSocketEnd
{
    // RFC 6455, section 5.5: a control frame holds 125 bytes. Two of them are the close code.
    private const int LongestReason = 123;

    /// <summary>Whether an exception means that either peer closed the connection, which is not an error.</summary>
    public static bool MeansClosed(Exception exception) => exception is WebSocketException or OperationCanceledException
        or ObjectDisposedException or IOException;

    /// <summary>The reason of a close frame, shortened if it does not fit into the frame.</summary>
    public static string ShortenReason(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        if (Encoding.UTF8.GetByteCount(text) <= LongestReason)
        {
            return text;
        }

        var bytes = 0;
        var length = 0;
        foreach (var rune in text.EnumerateRunes())
        {
            bytes += rune.Utf8SequenceLength;
            if (bytes > LongestReason - 3)
            {
                break;
            }

            length += rune.Utf16SequenceLength;
        }

        return string.Concat(text.AsSpan(0, length), "…");
    }
}
