using System.Globalization;
using System.Text;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Reads tokens as people write them: <c>ROLE[,ROLE…] TOKEN [side=N] [priority=N] [expires=TIME]</c> on each line, from
/// <c>#</c> on a comment.
/// </summary>
public static class TokenFile
{
    /// <summary>A shorter one could be guessed.</summary>
    public const int ShortestToken = 16;

    private const string Form = "write ROLE[,ROLE] TOKEN [side=N] [priority=N] [expires=2026-12-31T00:00:00Z]";
    private const string OtherCharacters = "-._~+/=";
    private const int LongestFile = 1 << 20;

    private static readonly string[] _times = ["yyyy-MM-dd'T'HH:mm:ssK", "yyyy-MM-dd'T'HH:mmK", "yyyy-MM-dd"];

    /// <summary>Reads a file that its owner, and at most its group, may read.</summary>
    /// <param name="path">The file.</param>
    /// <param name="now">Tokens are to be good then.</param>
    /// <exception cref="CredentialException">It cannot be read, others may read it, or a line is wrong.</exception>
    public static TokenStore Read(string path, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(path);
        try
        {
            using var file = File.OpenRead(path);
            const UnixFileMode others =
                UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.GroupWrite;
            if (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(file.SafeFileHandle) & others) != 0)
            {
                throw new CredentialException($"{path}: others may read or write these tokens: chmod 600 {path}");
            }

            using var reader = new StreamReader(file, new UTF8Encoding(false, throwOnInvalidBytes: true));
            var text = new char[LongestFile];
            var length = reader.ReadBlock(text);
            return length < LongestFile
                ? Parse(new string(text, 0, length), path, TokenStore.Empty, now)
                : throw new CredentialException($"{path} is no file of tokens: it has more than {LongestFile} characters");
        }
        catch (DecoderFallbackException problem)
        {
            throw new CredentialException($"{path} is no file of tokens: it is no text in UTF-8", problem);
        }
        catch (Exception problem) when (problem is IOException and not CredentialException or UnauthorizedAccessException)
        {
            throw new CredentialException($"the tokens cannot be read: {problem.Message}", problem);
        }
    }

    /// <summary>Reads lines; a <c>;</c> ends one too, a comment as well, so that they fit into an environment variable.</summary>
    /// <param name="text">The lines.</param>
    /// <param name="source">Where they come from, for messages.</param>
    /// <param name="given">Those that were given before.</param>
    /// <param name="now">Tokens are to be good then.</param>
    /// <returns>These, and those that were given before.</returns>
    /// <exception cref="CredentialException">A line is wrong: it says which and why, and never a token.</exception>
    public static TokenStore Parse(string text, string source, TokenStore given, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentNullException.ThrowIfNull(given);
        var store = given;
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
            }
        }

        return store;
    }

    private static (string Token, Identity Identity) ReadLine(string[] words, string where, DateTimeOffset now)
    {
        var roles = words[0].Split(',').Aggregate(Roles.None, (all, name) => all | RoleOf(name, where));
        if (words.Length < 2 || words[1].Length < ShortestToken || !words[1].All(IsOfToken))
        {
            throw new CredentialException(
                $"{where}: the token is missing, or has fewer than {ShortestToken} characters or others than letters, "
                + $"digits and {OtherCharacters}: {Form}");
        }

        // Orders of others are not overridden unless the file says so.
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

                // It may be a token: not repeated.
                _ => throw new CredentialException($"{where}: what follows the token is none of its options: {Form}"),
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
        _ => throw new CredentialException($"{where}: the first word is no role (watch, hold, play, control): {Form}"),
    };

    private static uint NumberOf(string text, string option, string where) =>
        uint.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : throw new CredentialException($"{where}: {option}= takes a number");

    private static DateTimeOffset TimeOf(string text, string where) =>
        DateTimeOffset.TryParseExact(
            text, _times, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var time)
            ? time
            : throw new CredentialException($"{where}: expires= takes a time, such as 2026-12-31T00:00:00Z");

    private static bool IsOfToken(char character) =>
        char.IsAsciiLetterOrDigit(character) || OtherCharacters.Contains(character, StringComparison.Ordinal);
}
