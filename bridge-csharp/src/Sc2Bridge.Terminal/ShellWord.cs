namespace Sc2Bridge.Terminal;

/// <summary>Words that a shell takes as they are meant.</summary>
public static class ShellWord
{
    private const string Plain = "/._-+=:,@%~";

    /// <summary>A word, in quotes if a shell needs them.</summary>
    public static string Of(string word)
    {
        ArgumentNullException.ThrowIfNull(word);
        return OperatingSystem.IsWindows() ? (word.All(letter => IsPlain(letter) || letter == '\\') && word.Length > 0 ? word : $"\"{word}\"")
            : word.All(IsPlain) && word.Length > 0 && word[0] != '~' ? word
            : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
    }

    /// <summary>A file's path: from the current folder if the file is in it.</summary>
    public static string OfPath(string path)
    {
        var full = Path.GetFullPath(path);
        var near = Path.GetRelativePath(Directory.GetCurrentDirectory(), full);
        var isInside = !Path.IsPathRooted(near) && near != ".." && !near.StartsWith(".." + Path.DirectorySeparatorChar, StringComparison.Ordinal);
        return Of(!isInside ? full : near[0] == '-' ? Path.Combine(".", near) : near);
    }

    private static bool IsPlain(char letter) => char.IsAsciiLetterOrDigit(letter) || Plain.Contains(letter, StringComparison.Ordinal);
}
