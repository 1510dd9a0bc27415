using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>Writes strings, and bytes as base64.</summary>
internal static class TextStrings
{
    // The characters that need no escape: ASCII except control characters, the quote and the backslash.
    private static readonly SearchValues<byte> Plain = SearchValues.Create(
        [.. Enumerable.Range(0x20, 0x5F).Select(code => (byte)code).Where(code => code is not ((byte)'"' or (byte)'\\'))]);

    /// <summary>The maximum size of the JSON string for a text with this many bytes.</summary>
    public static int LongestText(int length) => checked((length * 6) + 2);

    /// <summary>Writes UTF-8 text as a JSON string. Invalid UTF-8 becomes U+FFFD, as in .NET.</summary>
    /// <param name="text">The text.</param>
    /// <param name="to">At least <see cref="LongestText"/> bytes.</param>
    /// <returns>The number of bytes written.</returns>
    public static int WriteText(ReadOnlySpan<byte> text, Span<byte> to)
    {
        var at = 0;
        to[at++] = (byte)'"';
        while (true)
        {
            var plain = text.IndexOfAnyExcept(Plain);
            if (plain < 0)
            {
                text.CopyTo(to[at..]);
                at += text.Length;
                break;
            }

            text[..plain].CopyTo(to[at..]);
            at += plain;
            text = text[plain..];
            if (text[0] < 0x80)
            {
                at += Escape(text[0], to[at..]);
                text = text[1..];
            }
            else
            {
                Rune.DecodeFromUtf8(text, out var rune, out var consumed);
                at += rune.EncodeToUtf8(to[at..]);
                text = text[consumed..];
            }
        }

        to[at++] = (byte)'"';
        return at;
    }

    /// <summary>The size of this many bytes as quoted base64.</summary>
    public static int LongestBytes(int length) => checked(Base64Length(length) + 2);

    /// <summary>Writes bytes as padded base64.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="to">At least <see cref="LongestBytes"/> bytes.</param>
    /// <returns>The number of bytes written.</returns>
    public static int WriteBytes(ReadOnlySpan<byte> bytes, Span<byte> to)
    {
        to[0] = (byte)'"';
        System.Buffers.Text.Base64.EncodeToUtf8(bytes, to[1..], out _, out var written);
        to[written + 1] = (byte)'"';
        return written + 2;
    }

    private static int Base64Length(int length) => System.Buffers.Text.Base64.GetMaxEncodedToUtf8Length(length);

    private static int Escape(byte code, Span<byte> to)
    {
        const string Digits = "0123456789abcdef";
        to[0] = (byte)'\\';
        var letter = code switch
        {
            (byte)'"' => '"',
            (byte)'\\' => '\\',
            (byte)'\b' => 'b',
            (byte)'\f' => 'f',
            (byte)'\n' => 'n',
            (byte)'\r' => 'r',
            (byte)'\t' => 't',
            _ => 'u',
        };
        to[1] = (byte)letter;
        if (letter != 'u')
        {
            return 2;
        }

        (to[2], to[3], to[4], to[5]) = ((byte)'0', (byte)'0', (byte)Digits[code >> 4], (byte)Digits[code & 15]);
        return 6;
    }
}
