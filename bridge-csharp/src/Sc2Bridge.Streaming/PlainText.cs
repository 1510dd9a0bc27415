using System.Buffers;
using System.Globalization;
using System.Text;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Text of files, games and peers, as it is printed and logged. Control characters could command the terminal or forge a
/// line. Bidirectional controls could reorder a line's letters (CVE-2021-42574).
/// </summary>
public static class PlainText
{
    // C0, DEL and C1; the separators of lines and paragraphs; embeddings, overrides and isolates (Unicode, UAX 9).
    private static readonly SearchValues<char> Unsafe = SearchValues.Create(
        [.. Range('\0', '\x1f'), .. Range('\x7f', '\x9f'), .. Range('\u2028', '\u202e'), .. Range('\u2066', '\u2069')]);

    /// <summary>Whether text can be printed as it is.</summary>
    public static bool IsPlain(string text) => !text.AsSpan().ContainsAny(Unsafe);

    /// <summary>
    /// The text as a part of one line: control characters become escapes (<c>\n</c>, <c>\x1b</c>, <c>\u202e</c>), and a
    /// tab becomes a space. Escaping twice changes nothing.
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

    /// <summary>The lines of a text, each escaped: for a stack trace, whose messages may quote anything.</summary>
    public static IEnumerable<string> Lines(string text) => text.Split('\n').Select(line => Escape(line.TrimEnd('\r')));

    private static IEnumerable<char> Range(char first, char last) =>
        Enumerable.Range(first, last - first + 1).Select(code => (char)code);
}
