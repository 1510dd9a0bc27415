namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>Damages texts at random places.</summary>
internal static class Damage
{
    private static readonly string[] Pieces =
    [
        "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud800", "\\udc00", "0", "1", "9", "-", "+", ".", "e", "E",
        "null", "true", "false", "NaN", "\"Infinity\"", " ", "\t", "\n", "/", "//", "/**/", "=", "_", "A", "1e9", "{}",
        "[]", "\u0000", "é", "99999999999999999999", "\"1\"", "0.5", "[null]", "\ufeff",
    ];

    /// <summary>A copy with one to three changes, which may be invalid UTF-8.</summary>
    public static byte[] Some(byte[] text, Random random)
    {
        var changed = text.ToList();
        for (var change = random.Next(1, 4); change > 0 && changed.Count > 0; change--)
        {
            var at = random.Next(changed.Count);
            switch (random.Next(7))
            {
                case 0:
                    changed[at] = (byte)random.Next(256);
                    break;
                case 1:
                    changed.RemoveAt(at);
                    break;
                case 2:
                    var other = random.Next(changed.Count);
                    (changed[at], changed[other]) = (changed[other], changed[at]);
                    break;
                case 3:
                    changed.InsertRange(at, changed.GetRange(at, random.Next(Math.Min(30, changed.Count - at) + 1)));
                    break;
                case 4:
                    changed.RemoveRange(at, random.Next(Math.Min(30, changed.Count - at) + 1));
                    break;
                default:
                    changed.InsertRange(at, System.Text.Encoding.UTF8.GetBytes(Pieces[random.Next(Pieces.Length)]));
                    break;
            }
        }

        return [.. changed];
    }
}
