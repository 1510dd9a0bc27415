using System.Text.RegularExpressions;

namespace Sc2Bridge.Cli;

/// <summary>Texts that are shown to others, without whose machine they are of.</summary>
/// <param name="home">The user's home folder, which becomes <c>~</c>.</param>
/// <param name="user">The user's name, which becomes <c>USER</c> where a folder is called so.</param>
/// <param name="isWindows">Whether letters of paths are large or small as one likes.</param>
internal sealed class AnonymousText(string home, string user, bool isWindows)
{
    // Windows takes either slash, and the bridge writes both.
    private const string Slash = @"[/\\]+";

    private readonly Regex? _home = Part(home.TrimEnd('/', '\\'), "", isWindows);
    private readonly Regex? _user = Part(user, $"(?<={Slash})", isWindows);

    /// <summary>The same text, without them.</summary>
    internal string Of(string text)
    {
        text = _home?.Replace(text, "~") ?? text;
        return _user?.Replace(text, "USER") ?? text;
    }

    // A whole folder of a path, not a part of its name.
    private static Regex? Part(string path, string behind, bool isWindows)
    {
        var names = path.Split(['/', '\\'], StringSplitOptions.RemoveEmptyEntries).Select(Regex.Escape);
        var start = path.StartsWith('/') ? Slash : "";
        return path.Length == 0 ? null : new Regex(
            $@"{behind}{start}{string.Join(Slash, names)}(?![\w.-])",
            RegexOptions.CultureInvariant | (isWindows ? RegexOptions.IgnoreCase : RegexOptions.None));
    }
}
