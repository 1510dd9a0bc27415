using System.Net;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.RegularExpressions;
using Sc2Bridge.Admission;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Cli;

/// <summary>Removes the user's name and home folder from texts that other people will read, and secrets on request.</summary>
internal sealed partial class AnonymousText
{
    private const string Removed = "[removed]";

    // Windows accepts both slashes, and the bridge writes both.
    private const string Slash = @"[/\\]+";

    // A shorter value could be a part of any text.
    private const int ShortestSecret = 6;
    private const int ShortestHome = 5;

    // A shorter name could be a word of a chat.
    private const int ShortestNameInChat = 5;

    private readonly Regex? _home;
    private readonly Regex? _userFolder;
    private readonly Regex? _userName;
    private readonly bool _isNameInChat;
    private readonly IReadOnlyList<string> _secrets;
    private readonly byte[][] _secretBytes;

    /// <param name="home">The user's home folder, which becomes <c>~</c>.</param>
    /// <param name="user">The user's name, which becomes <c>user</c>.</param>
    /// <param name="isWindows">Whether paths ignore the case of letters.</param>
    /// <param name="secrets">Values that <see cref="Redact"/> removes, such as tokens.</param>
    internal AnonymousText(string home, string user, bool isWindows, IEnumerable<string>? secrets = null)
    {
        var options = RegexOptions.CultureInvariant | (isWindows ? RegexOptions.IgnoreCase : RegexOptions.None);
        _home = PathPattern(home.TrimEnd('/', '\\'), "", options);
        _userFolder = PathPattern(user, $"(?<={Slash})", options);
        _userName = user.Length > 1 ? new Regex($@"(?<![\p{{L}}\p{{N}}_]){Regex.Escape(user)}(?![\p{{L}}\p{{N}}_])", options) : null;
        _isNameInChat = user.Length >= ShortestNameInChat;
        _secrets =
        [
            .. (secrets ?? []).SelectMany(PartsOf).Where(part => part.Length >= ShortestSecret).SelectMany(FormsOf).Distinct()
                .OrderByDescending(secret => secret.Length),
        ];
        _secretBytes = [.. _secrets.Concat(home.Length >= ShortestHome ? [home] : []).Select(Encoding.UTF8.GetBytes)];
    }

    /// <summary>Makes the remover for the user of this process.</summary>
    /// <param name="tokens">The tokens of the session.</param>
    /// <param name="variables">Names of more environment variables with secret values. Names such as TOKEN mark other variables as secret.</param>
    internal static AnonymousText ForThisUser(IEnumerable<string> tokens, IEnumerable<string> variables)
    {
        var named = variables.ToHashSet();
        var values = Environment.GetEnvironmentVariables().Cast<System.Collections.DictionaryEntry>()
            .Where(one => SecretName().IsMatch((string)one.Key) || named.Contains((string)one.Key))
            .Select(one => (string?)one.Value ?? "");
        return new AnonymousText(
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), Environment.UserName, OperatingSystem.IsWindows(),
            tokens.Concat(values));
    }

    /// <summary>
    /// Returns the text without secrets, tokens, passwords in addresses, the home folder, and the user name in any place.
    /// </summary>
    /// <remarks>If a long line was cut, the beginning of a secret at its end is removed too.</remarks>
    internal string Redact(string text)
    {
        text = RemoveSecrets(text);
        return _userName?.Replace(text, "user") ?? text;
    }

    /// <summary>
    /// Does the same as <see cref="Redact"/> for a text of a recording. A short user name can be a word of a chat, so it is removed from paths only.
    /// </summary>
    internal string RedactRecorded(string text)
    {
        if (_isNameInChat)
        {
            return Redact(text);
        }

        text = RemoveSecrets(text);
        return _userFolder?.Replace(text, "user") ?? text;
    }

    private string RemoveSecrets(string text)
    {
        var isCut = text.Length >= LastLines.LongestLine;
        foreach (var secret in _secrets)
        {
            text = text.Replace(secret, Removed, StringComparison.Ordinal);
        }

        text = isCut ? RemoveCutSecret(text) : text;
        text = Token().Replace(text, $"$1{Removed}");
        text = GeneratedToken().Replace(text, Removed);
        text = Password().Replace(text, $"://{Removed}@");
        text = CutPassword().Replace(text, $"://{Removed}");
        return _home?.Replace(text, "~") ?? text;
    }

    // Long lines are cut before secrets are removed.
    private string RemoveCutSecret(string text)
    {
        var end = text.Length;
        foreach (var secret in _secrets)
        {
            var begin = secret[..ShortestSecret];
            var at = text.IndexOf(begin, Math.Max(0, text.Length - secret.Length), StringComparison.Ordinal);
            while (at >= 0 && !secret.AsSpan().StartsWith(text.AsSpan(at)))
            {
                at = text.IndexOf(begin, at + 1, StringComparison.Ordinal);
            }

            end = at < 0 ? end : Math.Min(end, at);
        }

        return end == text.Length ? text : text[..end] + Removed;
    }

    // A secret of several lines, and a list of tokens.
    private static IEnumerable<string> PartsOf(string secret) =>
        secret.Split('\n').Select(line => line.Trim())
            .Concat(secret.Split([' ', '\t', '\r', '\n', ';']).Where(word => word.Length >= TokenFile.ShortestToken)).Append(secret);

    // As a secret occurs in JSON and in addresses.
    private static IEnumerable<string> FormsOf(string secret) =>
    [
        secret, JavaScriptEncoder.Default.Encode(secret), JavaScriptEncoder.UnsafeRelaxedJsonEscaping.Encode(secret),
        Uri.EscapeDataString(secret), WebUtility.UrlEncode(secret),
    ];

    /// <summary>Whether bytes contain a secret or the home folder as text.</summary>
    internal bool HasSecret(ReadOnlySpan<byte> bytes)
    {
        foreach (var secret in _secretBytes)
        {
            if (bytes.IndexOf(secret) >= 0)
            {
                return true;
            }
        }

        return false;
    }

    // A token in an address, a header, a variable, JSON or a command line.
    [GeneratedRegex("""(?i)((?:token|password|passwd|secret|api_?key)["']?\s*[=:]\s*["']?(?:Bearer\s+)?|Bearer\s+|--[\w-]{0,40}(?:token|password|passwd|secret|api-?key)["']?[\s,]+["']?(?!-))[^\s"'&,;<>\[\]]+""")]
    private static partial Regex Token();

    [GeneratedRegex(@"://[^\s/@""'<>]*@")]
    private static partial Regex Password();

    // A user's name and the beginning of a password, but not a host and a port.
    [GeneratedRegex(@"://[^\s/@:""'<>\[]*:(?!\d{1,5}\z)[^\s/@""'<>]+\z")]
    private static partial Regex CutPassword();

    // The tokens of a killed bridge are not known any more.
    [GeneratedRegex("(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])")]
    private static partial Regex GeneratedToken();

    [GeneratedRegex("(?i)TOKEN|SECRET|PASS|_KEY|CREDENTIAL")]
    private static partial Regex SecretName();

    // Matches only whole folder names.
    private static Regex? PathPattern(string path, string lookbehind, RegexOptions options)
    {
        var names = path.Split(['/', '\\'], StringSplitOptions.RemoveEmptyEntries).Select(Regex.Escape);
        var start = path.StartsWith('/') ? Slash : "";
        return path.Length == 0 ? null : new Regex($@"{lookbehind}{start}{string.Join(Slash, names)}(?![\w.-])", options);
    }
}
