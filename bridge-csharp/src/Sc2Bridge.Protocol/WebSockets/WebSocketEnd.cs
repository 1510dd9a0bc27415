using System.Net.WebSockets;
using System.Text;

namespace Sc2Bridge.Protocol;

/// <summary>How a WebSocket's connection ends.</summary>
public static class WebSocketEnd
{
    // RFC 6455, section 5.5: a control frame holds 125 bytes, two of which are the close's code.
    private const int LongestReason = 123;

    /// <summary>Whether an exception means that the connection ended, from either end: nothing to report.</summary>
    public static bool Is(Exception exception) => exception is WebSocketException or OperationCanceledException
        or ObjectDisposedException or IOException;

    /// <summary>A reason for a close, shortened where it is longer than a close can hold.</summary>
    public static string Reason(string text)
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
