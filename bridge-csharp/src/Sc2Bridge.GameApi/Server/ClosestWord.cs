namespace Sc2Bridge.GameApi;

/// <summary>Finds the known word that is most similar to a mistyped word.</summary>
public static class ClosestWord
{
    /// <summary>Returns the suggestion of a similar word, for an error message; empty if no word is similar.</summary>
    public static string Hint(string word, IEnumerable<string> words) => Find(word, words) is { } close ? $"; did you mean {close}?" : "";

    /// <summary>Counts the letters to change, add, remove or swap with the next letter, to get the other word (optimal string alignment distance).</summary>
    public static int Distance(string from, string to)
    {
        ArgumentNullException.ThrowIfNull(from);
        ArgumentNullException.ThrowIfNull(to);
        var rows = new int[from.Length + 1, to.Length + 1];
        for (var i = 0; i <= from.Length; i++)
        {
            for (var j = 0; j <= to.Length; j++)
            {
                rows[i, j] = i == 0 || j == 0
                    ? i + j
                    : Math.Min(rows[i - 1, j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1), Math.Min(rows[i - 1, j], rows[i, j - 1]) + 1);
                if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                {
                    rows[i, j] = Math.Min(rows[i, j], rows[i - 2, j - 2] + 1);
                }
            }
        }

        return rows[from.Length, to.Length];
    }

    // Returns a word that begins with the mistyped word, or else the word with the smallest distance. Returns null if more than about a
    // third of the letters differ. Letter case does not count. Leading dashes do not count, because every option has them.
    private static string? Find(string word, IEnumerable<string> words) =>
        words.Select(known => (Word: known, Distance: DistanceOrPrefix(word.TrimStart('-').ToUpperInvariant(), known.TrimStart('-').ToUpperInvariant())))
            .Where(known => known.Distance <= (word.TrimStart('-').Length + 1) / 3)
            .OrderBy(known => known.Distance)
            .Select(known => known.Word)
            .FirstOrDefault();

    private static int DistanceOrPrefix(string from, string to) => from.Length > 2 && to.StartsWith(from, StringComparison.Ordinal) ? 0 : Distance(from, to);
}
