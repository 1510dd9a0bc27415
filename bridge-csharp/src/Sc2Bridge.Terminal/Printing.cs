using System.CommandLine;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Terminal;

/// <summary>Decides how much a program prints. Results go to standard output, and all other lines go to standard error.</summary>
public static class Printing
{
    private static readonly Option<bool> _verbose = GlobalFlag("--verbose", "also print the lines of the log");
    private static readonly Option<bool> _noColor = GlobalFlag("--no-color", "print no colours, as if the variable `NO_COLOR` is set");
    private static readonly Option<bool> _quiet = MakeQuiet();

    // These fields are static, because a process runs only one command.
    private static volatile bool _isQuiet;
    private static volatile bool _isVerbose;
    private static volatile bool _hasNoColor;

    /// <summary>The options that all commands have.</summary>
    public static IReadOnlyList<Option> Options { get; } = [_quiet, _verbose, _noColor];

    /// <summary>Whether only errors and results are printed.</summary>
    public static bool IsQuiet => _isQuiet;

    /// <summary>Whether the log's lines are printed too.</summary>
    public static bool IsVerbose => _isVerbose;

    /// <summary>Whether colours may be printed on a terminal.</summary>
    public static bool HasColors =>
        !_hasNoColor && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    /// <summary>Applies the options that all commands have.</summary>
    /// <param name="parsed">The command line.</param>
    public static void ApplyOptions(ParseResult parsed)
    {
        ArgumentNullException.ThrowIfNull(parsed);
        (_isQuiet, _isVerbose, _hasNoColor) = (parsed.GetValue(_quiet), parsed.GetValue(_verbose), parsed.GetValue(_noColor));
    }

    /// <summary>Applies the options that all commands have, for a command that parses its own arguments.</summary>
    /// <param name="words">The command line.</param>
    /// <returns>The arguments without these options.</returns>
    public static string[] RemoveOptions(IReadOnlyList<string> words)
    {
        (_isQuiet, _isVerbose, _hasNoColor) = (words.Any(word => Matches(_quiet, word)), words.Any(word => Matches(_verbose, word)), words.Any(word => Matches(_noColor, word)));
        return [.. words.Where(word => !IsOption(word))];
    }

    /// <summary>Whether a word is one of the options that all commands have.</summary>
    public static bool IsOption(string word) => Options.Any(option => Matches(option, word));

    private static bool Matches(Option option, string word) => option.Name == word || option.Aliases.Contains(word);

    /// <summary>Prints a line that is not a result.</summary>
    public static void PrintMessage(string line)
    {
        if (!IsQuiet)
        {
            Console.Error.WriteLine(line);
        }
    }

    /// <summary>Warns about options of other programs, which a command accepts but ignores.</summary>
    /// <param name="words">The given options.</param>
    /// <param name="command">The command whose options the user may have mistyped.</param>
    public static void PrintIgnored(IReadOnlyCollection<string> words, Command command)
    {
        ArgumentNullException.ThrowIfNull(words);
        ArgumentNullException.ThrowIfNull(command);
        var hints = string.Concat(words.Where(word => word.StartsWith('-'))
            .Select(word => (Word: word, Hint: ClosestWord.Hint(word.Split('=')[0], command.Options.Select(option => option.Name))))
            .Where(one => one.Hint.Length > 0).Select(one => $"; {one.Word}:{one.Hint[1..]}"));

        // A mistyped option changes the match, so a hint is printed even with --quiet.
        if (hints.Length > 0 || (words.Count > 0 && !IsQuiet))
        {
            Console.Error.WriteLine($"sc2bridge: ignored, because they have no effect here: {string.Join(' ', words)}{hints}");
        }
    }

    private static Option<bool> GlobalFlag(string name, string description) => new(name) { Description = description, Recursive = true };

    private static Option<bool> MakeQuiet()
    {
        var quiet = GlobalFlag("--quiet", "print errors and results only; the result of a match is the line that says how it ended");
        quiet.Aliases.Add("-q");
        quiet.Validators.Add(result =>
        {
            if (!result.Implicit && result.GetResult(_verbose) is { Implicit: false })
            {
                result.AddError("--quiet contradicts --verbose: leave one out");
            }
        });
        return quiet;
    }
}
