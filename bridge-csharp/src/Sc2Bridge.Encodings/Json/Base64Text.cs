using System.Buffers;
using System.Buffers.Text;

namespace Sc2Bridge.Encodings.Json;

/// <summary>
/// Decodes base64 of either alphabet, padded or not (RFC 4648, sections 4 and 5); white space is refused.
/// </summary>
internal static class Base64Text
{
    /// <summary>Passes over the padding, and tells how many bytes the rest stands for.</summary>
    /// <returns>False where no text of that length is base64.</returns>
    public static bool TryMeasure(ref ReadOnlySpan<byte> text, out int length)
    {
        if (text.Length % 4 == 0)
        {
            text = text.EndsWith("=="u8) ? text[..^2] : text.EndsWith("="u8) ? text[..^1] : text;
        }

        length = (int)(text.Length * 3L / 4);
        return text.Length % 4 != 1;
    }

    /// <summary>Decodes.</summary>
    /// <param name="text">Without padding.</param>
    /// <param name="bytes">As long as was measured.</param>
    /// <returns>False where it has other letters than those of one alphabet.</returns>
    public static bool TryDecode(ReadOnlySpan<byte> text, Span<byte> bytes)
    {
        // The library passes over white space and padding.
        if (text.ContainsAny(" \t\r\n="u8))
        {
            return false;
        }

        if (text.ContainsAny("-_"u8))
        {
            return Base64Url.DecodeFromUtf8(text, bytes, out _, out var decoded) == OperationStatus.Done
                && decoded == bytes.Length;
        }

        var whole = text.Length & ~3;
        if (Base64.DecodeFromUtf8(text[..whole], bytes, out _, out var written) != OperationStatus.Done)
        {
            return false;
        }

        if (whole == text.Length)
        {
            return true;
        }

        Span<byte> last = [(byte)'=', (byte)'=', (byte)'=', (byte)'='];
        text[whole..].CopyTo(last);
        return Base64.DecodeFromUtf8(last, bytes[written..], out _, out _) == OperationStatus.Done;
    }
}
