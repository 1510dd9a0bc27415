using System.Buffers;
using System.Globalization;
using System.Text;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Makes text from files, games and peers safe to print and log. Control characters could control the terminal or forge a
/// log line. Bidirectional controls could reorder the letters of a line (CVE-2021-42574).
/// </summary>
public static class PlainText
{
    // The control characters C0, DEL and C1; line and paragraph separators; bidirectional embeddings, overrides and isolates (Unicode, UAX 9).
    private static readonly SearchValues<char> Unsafe = SearchValues.Create(
        [.. Range('\0', '\x1f'), .. Range('\x7f', '\x9f'), .. Range('\u2028', '\u202e'), .. Range('\u2066', '\u2069')]);

    /// <summary>Whether text can be printed unchanged.</summary>
    public static bool IsPlain(string text) => !text.AsSpan().ContainsAny(Unsafe);

    /// <summary>
    /// Escapes text for use in a single line. Control characters become escapes (<c>\n</c>, <c>\x1b</c>, <c>\u202e</c>), and
    /// a tab becomes a space. Escaping the result again changes nothing.
    /// </summary>
    public static string Escape(string text)
    {
        if (IsPlain(text))
        {
            return text;
        }

        var escaped = new StringBuilder(text.Length + 16);
        foreach (var character in text)
        {
            _ = character switch
            {
                '\t' => escaped.Append(' '),
                '\n' => escaped.Append("\\n"),
                '\r' => escaped.Append("\\r"),
                _ when !Unsafe.Contains(character) => escaped.Append(character),
                < '\u0100' => escaped.Append(CultureInfo.InvariantCulture, $"\\x{(int)character:x2}"),
                _ => escaped.Append(CultureInfo.InvariantCulture, $"\\u{(int)character:x4}"),
            };
        }

        return escaped.ToString();
    }

    /// <summary>Splits a text, such as a stack trace, into lines and escapes each line. A stack trace can quote text from outside.</summary>
    public static IEnumerable<string> Lines(string text) => text.Split('\n').Select(line => Escape(line.TrimEnd('\r')));

    private static IEnumerable<char> Range(char first, char last) =>
        Enumerable.Range(first, last - first + 1).Select(code => (char)code);
}
