using System.CommandLine;
using System.CommandLine.Completions;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Cli;

/// <summary>
/// Completes words for shells: <c>sc2bridge [suggest:POSITION] LINE</c> prints each possible word for the word before the position. If the
/// output is empty, the shell completes file names. The parser's own completion is not used: it matches inside of words and knows no maps.
/// </summary>
internal sealed class Completions : SynchronousCommandLineAction
{
    // A longer list does not help, and takes time.
    private const int MaxMaps = 500;

    private readonly RootCommand _root;
    private readonly ConfigurationOptions _configured;
    private readonly SuggestDirective _directive;

    internal Completions(RootCommand root, ConfigurationOptions configured)
    {
        (_root, _configured) = (root, configured);
        _directive = root.Directives.OfType<SuggestDirective>().Single();
        _directive.Action = this;
    }

    /// <inheritdoc/>
    public override bool ClearsParseErrors => true;

    /// <inheritdoc/>
    public override int Invoke(ParseResult parseResult)
    {
        var line = parseResult.Tokens.LastOrDefault(token => token.Type != TokenType.Directive)?.Value ?? "";
        var position = parseResult.GetResult(_directive)?.Values is [var value, ..]
            && int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var given) ? Math.Min(given, line.Length) : line.Length;
        foreach (var word in Suggest(line[..position]))
        {
            Console.WriteLine(word);
        }

        return 0;
    }

    /// <summary>Returns the possible completions of the last word of a line.</summary>
    /// <param name="line">The line up to the cursor, with the program's name.</param>
    internal IEnumerable<string> Suggest(string line)
    {
        // The first word is the program, possibly with a path.
        var (typed, isQuoted) = Split(line);
        var word = typed.Count > 1 ? typed[^1] : "";
        List<string> words = [.. typed.Skip(1).SkipLast(1)];
        var parsed = _root.Parse(words);
        var command = parsed.CommandResult.Command;
        var options = command.Options.Concat(_root.Options.Where(option => option.Recursive && command != _root)).Where(option => !option.Hidden).ToList();
        var equals = word.StartsWith('-') ? word.IndexOf('=', StringComparison.Ordinal) : -1;
        var (head, rest) = (word[..(equals + 1)], word[(equals + 1)..]);
        var named = equals > 0 ? word[..equals] : words.LastOrDefault() ?? "";
        var option = options.Find(option => (option.Name == named || option.Aliases.Contains(named)) && option.ValueType != typeof(bool) && option.Arity.MaximumNumberOfValues > 0);
        var candidates =
            option is not null ? SuggestValues(option, parsed, rest, isQuoted)
            : word.StartsWith('-') ? options.Where(one => one.Arity.MaximumNumberOfValues > 1 || parsed.GetResult(one) is null or { Implicit: true }).Select(one => one.Name)
            : command.Subcommands.Count > 0 ? command.Subcommands.Where(one => !one.Hidden).Select(one => one.Name)
            : command.Arguments.SelectMany(argument => SuggestValues(argument, command, word));
        return candidates.Where(one => one.StartsWith(rest, StringComparison.OrdinalIgnoreCase)).Select(one => head + one);
    }

    private IEnumerable<string> SuggestValues(Option option, ParseResult parsed, string word, bool isQuoted) => option.Name switch
    {
        "--player" => Players(word),
        "--map" when option.Arity.MaximumNumberOfValues > 1 || option.HelpName == "NAME" => Maps(isQuoted),
        "--scenario" => Scenario.Names,
        "--profile" => _configured.ProfileNames(parsed),
        "--race" => Races,
        _ => Choices(option.HelpName ?? ""),
    };

    // The help separates the choices of an option with |. A word in capitals is a placeholder and not a choice.
    private static IEnumerable<string> Choices(string help) =>
        help.Contains('|', StringComparison.Ordinal) ? help.Split('|').Where(choice => !choice.Any(char.IsAsciiLetterUpper)) : [];

    private IEnumerable<string> SuggestValues(Argument argument, Command command, string word) => (command.Name, argument.Name) switch
    {
        ("completion", _) => CompletionCommand.Shells,
        ("help", _) => _root.Subcommands.Where(one => !one.Hidden).Select(one => one.Name),
        ("replay", _) => Files(word, ExportCommand.Extension, Replay.Extension),
        ("inspect" or "export", _) => Files(word, ExportCommand.Extension),
        (_, "REPLAYS") => Files(word, Replay.Extension),
        _ => [],
    };

    private static IEnumerable<string> Files(string word, params string[] endings)
    {
        var folder = word[..(word.LastIndexOf('/') + 1)];
        try
        {
            return
            [
                .. new DirectoryInfo(folder.Length == 0 ? "." : folder).EnumerateFileSystemInfos()
                    .Where(one => !one.Name.StartsWith('.') && (one is DirectoryInfo || endings.Any(ending => one.Name.EndsWith(ending, StringComparison.OrdinalIgnoreCase))))
                    .Select(one => folder + one.Name + (one is DirectoryInfo ? "/" : "")).Order(StringComparer.Ordinal),
            ];
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static IEnumerable<string> Races => Names<Race>();

    // Completes one part of a player after another: for example, computer: becomes computer:terran:.
    private static IEnumerable<string> Players(string word)
    {
        var parts = word.Split(':');
        var head = word[..(word.LastIndexOf(':') + 1)];
        return (parts.Length, parts[0].ToLowerInvariant()) switch
        {
            (1, _) => ["agent:", "api:", "computer:"],
            (2, "computer") => Races.Select(race => $"{head}{race}:"),
            (2, "agent" or "api") => Races.Select(race => head + race),
            (3, "computer") => Names<Difficulty>().Append("elite").Select(level => head + level),
            (4, "computer") => Names<AIBuild>().Select(build => head + build),
            _ => [],
        };
    }

    private static IEnumerable<string> Names<T>()
        where T : struct, Enum => Enum.GetValues<T>().Where(value => Convert.ToInt32(value, CultureInfo.InvariantCulture) != 0).Select(value => value.ToString().ToLowerInvariant());

    // Splits a line as shells do. The cursor is in the last word, which may be empty. A backslash before a letter or a digit is part of a Windows path.
    private static (List<string> Words, bool IsQuoted) Split(string line)
    {
        List<string> words = [""];
        var quote = '\0';
        for (var i = 0; i < line.Length; i++)
        {
            var sign = line[i];
            if (quote == 0 ? sign is '"' or '\'' : sign == quote)
            {
                quote = quote == 0 ? sign : '\0';
            }
            else if (quote == 0 && char.IsWhiteSpace(sign))
            {
                words.AddRange(words[^1].Length > 0 ? [""] : []);
            }
            else
            {
                words[^1] += quote == 0 && sign == '\\' && !OperatingSystem.IsWindows() && i + 1 < line.Length && !char.IsLetterOrDigit(line[i + 1]) ? line[++i] : sign;
            }
        }

        return (words, quote != 0);
    }

    // The returned names have no spaces, because a shell needs quotes for spaces. If the user has begun a quote, the names have spaces.
    private static IEnumerable<string> Maps(bool isQuoted)
    {
        IEnumerable<string> installed = [];
        try
        {
            installed = Installation.TryFind()?.MapFolder is { } folder
                ? [.. Directory.EnumerateFiles(folder, $"*{MapName.Extension}", SearchOption.AllDirectories).Take(MaxMaps)]
                : [];
        }
        catch (Exception error) when (Failures.IsUserError(error))
        {
            // The installation cannot be read. The command doctor reports why.
        }

        return SimulatedGame.Maps.Concat(installed).Select(map => isQuoted ? MapName.Title(map) : MapName.Title(map).Replace(" ", "", StringComparison.Ordinal)).Distinct().Order(StringComparer.Ordinal);
    }
}
