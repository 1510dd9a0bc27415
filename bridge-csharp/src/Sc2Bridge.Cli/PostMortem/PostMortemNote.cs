using Sc2Bridge.Admission;

namespace Sc2Bridge.Cli;

/// <summary>
/// A note in the lock file of a bridge. After a crash, the next process reads it, writes the post-mortem and removes the same secrets.
/// </summary>
/// <param name="Mode">When the match leaves a post-mortem.</param>
/// <param name="Variables">The names of the environment variables of <c>--agent-env</c>.</param>
/// <param name="TokenFile">The path of the token file; null without one. The tokens are not noted.</param>
internal sealed record PostMortemNote(PostMortemMode Mode, IReadOnlyList<string> Variables, string? TokenFile)
{
    // No character of a variable's name or of a path.
    private const char Separator = '\0';

    private const int MostTokenBytes = 1 << 20;

    /// <summary>Reads a note. A missing or invalid note asks for no post-mortem.</summary>
    internal static PostMortemNote Parse(string? text)
    {
        var parts = (text ?? "").Split(Separator);
        return Enum.TryParse<PostMortemMode>(parts[0], out var mode) && parts.Length >= 2
            ? new PostMortemNote(mode, parts[2..], parts[1].Length == 0 ? null : parts[1])
            : new PostMortemNote(PostMortemMode.Never, [], null);
    }

    /// <summary>Reads the tokens of the token file, also expired ones. Returns none if the file cannot be read any more.</summary>
    internal IEnumerable<string> ReadTokens()
    {
        try
        {
            return TokenFile is not null && new FileInfo(TokenFile) is { Exists: true, Length: < MostTokenBytes }
                ? File.ReadAllText(TokenFile).Split((char[]?)null).Where(word => word.Length >= Admission.TokenFile.ShortestToken)
                : [];
        }
        catch (Exception missing) when (missing is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>The text of the note, in one line.</summary>
    public override string ToString() =>
        string.Join(Separator, [$"{Mode}", TokenFile is null ? "" : Path.GetFullPath(TokenFile), .. Variables]).ReplaceLineEndings("");
}
