namespace Sc2Bridge.Terminal;

/// <summary>Quotes words for a shell.</summary>
public static class ShellWord
{
    private const string PlainCharacters = "/._-+=:,@%~";

    /// <summary>Quotes a word if a shell needs quotes.</summary>
    public static string Quote(string word)
    {
        ArgumentNullException.ThrowIfNull(word);
        return OperatingSystem.IsWindows() ? (word.All(letter => IsPlain(letter) || letter == '\\') && word.Length > 0 ? word : $"\"{word}\"")
            : word.All(IsPlain) && word.Length > 0 && word[0] != '~' ? word
            : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
    }

    /// <summary>Quotes the path of a file. The path is relative if the file is in the current folder.</summary>
    public static string QuotePath(string path)
    {
        var full = Path.GetFullPath(path);
        var near = Path.GetRelativePath(Directory.GetCurrentDirectory(), full);
        var isInside = !Path.IsPathRooted(near) && near != ".." && !near.StartsWith(".." + Path.DirectorySeparatorChar, StringComparison.Ordinal);
        return Quote(!isInside ? full : near[0] == '-' ? Path.Combine(".", near) : near);
    }

    private static bool IsPlain(char letter) => char.IsAsciiLetterOrDigit(letter) || PlainCharacters.Contains(letter, StringComparison.Ordinal);
}
