using System.Globalization;
using System.Text;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Reads token files. Each line is <c>ROLE[,ROLE…] TOKEN [side=N] [priority=N] [expires=TIME]</c>. A comment begins with
/// <c>#</c>.
/// </summary>
public static class TokenFile
{
    /// <summary>The least length of a token. A shorter token could be guessed.</summary>
    public const int ShortestToken = 16;

    private const string LineFormat = "write ROLE[,ROLE] TOKEN [side=N] [priority=N] [expires=2026-12-31T00:00:00Z]";
    private const string TokenPunctuation = "-._~+/=";
    private const int LongestFileCharacters = 1 << 20;

    private static readonly string[] _timeFormats = ["yyyy-MM-dd'T'HH:mm:ssK", "yyyy-MM-dd'T'HH:mmK", "yyyy-MM-dd"];

    /// <summary>Reads a file that only its owner, and possibly its group, may read.</summary>
    /// <param name="path">The file.</param>
    /// <param name="now">The time at which the tokens must not have expired.</param>
    /// <param name="given">Gets the tokens themselves, so that they can be removed from texts; null if not needed.</param>
    /// <exception cref="CredentialException">The file cannot be read, others may read it, or a line is invalid.</exception>
    public static TokenStore Read(string path, DateTimeOffset now, ICollection<string>? given = null)
    {
        ArgumentNullException.ThrowIfNull(path);
        try
        {
            using var file = File.OpenRead(path);
            const UnixFileMode others =
                UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.GroupWrite;
            if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(file.SafeFileHandle) & others) != 0)
            {
                throw new CredentialException($"{path}: others may read or write these tokens: run 'chmod 600 {path}'");
            }

            using var reader = new StreamReader(file, new UTF8Encoding(false, throwOnInvalidBytes: true));
            var text = new char[LongestFileCharacters];
            var length = reader.ReadBlock(text);
            return length < LongestFileCharacters
                ? Parse(new string(text, 0, length), path, TokenStore.Empty, now, given)
                : throw new CredentialException($"{path} is not a token file: it has {LongestFileCharacters} characters or more: give a file with lines of the form ROLE TOKEN");
        }
        catch (DecoderFallbackException problem)
        {
            throw new CredentialException($"{path} is not a token file: it is not UTF-8 text: give a file with lines of the form ROLE TOKEN", problem);
        }
        catch (Exception problem) when (problem is IOException and not CredentialException or UnauthorizedAccessException)
        {
            throw new CredentialException($"the tokens cannot be read: {problem.Message} Give a file with lines of the form ROLE TOKEN that only you may read", problem);
        }
    }

    /// <summary>Reads lines. A <c>;</c> also ends a line or a comment, so that tokens fit into an environment variable.</summary>
    /// <param name="text">The lines.</param>
    /// <param name="source">The name of the file or variable, for messages.</param>
    /// <param name="earlier">The tokens from the files and variables that were read before.</param>
    /// <param name="now">The time at which the tokens must not have expired.</param>
    /// <param name="given">Gets the tokens themselves, so that they can be removed from texts; null if not needed.</param>
    /// <returns>The earlier tokens and the tokens of these lines.</returns>
    /// <exception cref="CredentialException">A line is invalid. The message has the line's number and the reason, and never a token.</exception>
    public static TokenStore Parse(
        string text, string source, TokenStore earlier, DateTimeOffset now, ICollection<string>? given = null)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(earlier);
        var store = earlier;
        var number = 0;
        foreach (var line in text.Split('\n', ';'))
        {
            number++;
            var words = line.Split('#')[0].Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
            if (words.Length > 0)
            {
                var (token, identity) = ReadLine(words, $"{source}, line {number}", now);
                store = store.Find(token) is not null
                    ? throw new CredentialException($"{source}, line {number}: this token was given before: use another")
                    : store.With(token, identity);
                given?.Add(token);
            }
        }

        return store;
    }

    private static (string Token, Identity Identity) ReadLine(string[] words, string where, DateTimeOffset now)
    {
        var roles = words[0].Split(',').Aggregate(Roles.None, (all, name) => all | RoleOf(name, where));
        if (words.Length < 2 || words[1].Length < ShortestToken || !words[1].All(IsTokenCharacter))
        {
            throw new CredentialException(
                $"{where}: the token is missing, has fewer than {ShortestToken} characters, or has characters other than letters, "
                + $"digits and {TokenPunctuation}: {LineFormat}");
        }

        // Without priority=, an agent with this token cannot override the orders of other agents.
        var identity = new Identity($"the token of {where}", roles, MaxPriority: 0);
        HashSet<string> given = [];
        foreach (var option in words[2..])
        {
            var equals = option.IndexOf('=', StringComparison.Ordinal);
            var (name, value) = (equals < 0 ? "" : option[..equals], option[(equals + 1)..]);
            identity = name switch
            {
                "side" => identity with { Side = NumberOf(value, "side", where) },
                "priority" => identity with { MaxPriority = NumberOf(value, "priority", where) },
                "expires" => identity with { Expires = TimeOf(value, where) },

                // The word may be a token, so the message does not repeat it.
                _ => throw new CredentialException($"{where}: unknown option after the token: {LineFormat}"),
            };
            if (!given.Add(name))
            {
                throw new CredentialException($"{where}: {name}= is given twice: leave one out");
            }
        }

        return identity.Expires <= now
            ? throw new CredentialException($"{where}: this token has expired: leave the line out, or give it a later expires=")
            : (words[1], identity);
    }

    private static Roles RoleOf(string name, string where) => name switch
    {
        "watch" => Roles.Watch,
        "hold" => Roles.Watch | Roles.Hold,
        "play" => Roles.Watch | Roles.Hold | Roles.Play,
        "control" => Roles.Watch | Roles.Control,
        _ => throw new CredentialException($"{where}: the first word is not a role (watch, hold, play, control): {LineFormat}"),
    };

    private static uint NumberOf(string text, string option, string where) =>
        uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw new CredentialException($"{where}: {option}= takes a number");

    private static DateTimeOffset TimeOf(string text, string where) =>
        DateTimeOffset.TryParseExact(
            text, _timeFormats, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time)
            ? time
            : throw new CredentialException($"{where}: expires= takes a time, such as 2026-12-31T00:00:00Z");

    private static bool IsTokenCharacter(char character) =>
        char.IsAsciiLetterOrDigit(character) || TokenPunctuation.Contains(character, StringComparison.Ordinal);
}
