namespace Sc2Bridge.GameApi;

/// <summary>Finds words that a mistyped one was meant to be.</summary>
public static class ClosestWord
{
    /// <summary>What an error message adds about a mistyped word; empty if no word is near.</summary>
    public static string Hint(string word, IEnumerable<string> words) => To(word, words) is { } close ? $"; did you mean {close}?" : "";

    /// <summary>How many letters are to be changed, added or taken away.</summary>
    public static int Distance(string from, string to)
    {
        ArgumentNullException.ThrowIfNull(from);
        ArgumentNullException.ThrowIfNull(to);
        var row = Enumerable.Range(0, to.Length + 1).ToArray();
        foreach (var letter in from)
        {
            var diagonal = row[0]++;
            for (var i = 1; i < row.Length; i++)
            {
                var replaced = diagonal + (letter == to[i - 1] ? 0 : 1);
                diagonal = row[i];
                row[i] = Math.Min(replaced, Math.Min(row[i], row[i - 1]) + 1);
            }
        }

        return row[^1];
    }

    // The nearest word, if at most a third of the letters, rounded up, differ (Levenshtein's distance, in any case); else null.
    private static string? To(string word, IEnumerable<string> words) =>
        words.Select(one => (Word: one, Distance: Distance(word.ToUpperInvariant(), one.ToUpperInvariant())))
            .Where(one => one.Distance <= (word.Length + 2) / 3)
            .OrderBy(one => one.Distance)
            .Select(one => one.Word)
            .FirstOrDefault();
}
