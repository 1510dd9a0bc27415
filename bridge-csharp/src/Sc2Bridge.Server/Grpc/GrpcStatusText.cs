using System.Text;

namespace Sc2Bridge.Server;

/// <summary>
/// The <c>grpc-message</c> of a status: UTF-8, with every byte outside of printable ASCII, and the percent sign, written
/// as <c>%XX</c> (gRPC over HTTP/2, "Status-Message").
/// </summary>
public static class GrpcStatusText
{
    /// <summary>The longest text that is sent, in bytes before encoding; clients bound what headers may hold.</summary>
    public const int LongestBytes = 2048;

    private const string Digits = "0123456789ABCDEF";

    /// <summary>Encodes a text; what goes beyond <see cref="LongestBytes"/> is cut off between two characters.</summary>
    public static string Encode(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var encoded = new StringBuilder(text.Length);
        Span<byte> bytes = stackalloc byte[4];
        var sent = 0;
        foreach (var rune in text.EnumerateRunes())
        {
            var length = rune.EncodeToUtf8(bytes);
            sent += length;
            if (sent > LongestBytes)
            {
                break;
            }

            foreach (var value in bytes[..length])
            {
                if (value is >= 0x20 and <= 0x7E and not (byte)'%')
                {
                    encoded.Append((char)value);
                }
                else
                {
                    encoded.Append('%').Append(Digits[value >> 4]).Append(Digits[value & 15]);
                }
            }
        }

        return encoded.ToString();
    }

    /// <summary>Decodes what a peer sent. Never fails: what is no valid escape stands for itself, as the spec asks.</summary>
    public static string Decode(string encoded)
    {
        ArgumentNullException.ThrowIfNull(encoded);
        if (!encoded.Contains('%', StringComparison.Ordinal))
        {
            return encoded;
        }

        var bytes = System.Text.Encoding.UTF8.GetBytes(encoded);
        var length = 0;
        for (var at = 0; at < bytes.Length; at++)
        {
            if (bytes[at] == '%' && at + 2 < bytes.Length
                && char.IsAsciiHexDigit((char)bytes[at + 1]) && char.IsAsciiHexDigit((char)bytes[at + 2]))
            {
                bytes[length++] = (byte)((Nibble(bytes[at + 1]) << 4) | Nibble(bytes[at + 2]));
                at += 2;
            }
            else
            {
                bytes[length++] = bytes[at];
            }
        }

        return System.Text.Encoding.UTF8.GetString(bytes, 0, length);
    }

    private static int Nibble(byte digit) => digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}
