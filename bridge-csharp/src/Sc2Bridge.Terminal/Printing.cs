using System.CommandLine;

namespace Sc2Bridge.Terminal;

/// <summary>How much a program prints. Results go to standard output, and everything else to standard error.</summary>
public static class Printing
{
    private static readonly Option<bool> _verbose = Everywhere("--verbose", "also print what goes to the log");
    private static readonly Option<bool> _noColor = Everywhere("--no-color", "print no colours, as if the variable `NO_COLOR` is set");
    private static readonly Option<bool> _quiet = MakeQuiet();

    // A process runs one command.
    private static volatile bool _isQuiet;
    private static volatile bool _isVerbose;
    private static volatile bool _hasNoColor;

    /// <summary>Options of all commands.</summary>
    public static IReadOnlyList<Option> Options { get; } = [_quiet, _verbose, _noColor];

    /// <summary>Whether nothing is printed but errors and results.</summary>
    public static bool IsQuiet => _isQuiet;

    /// <summary>Whether the log's lines are printed too.</summary>
    public static bool IsVerbose => _isVerbose;

    /// <summary>Whether colours may be printed on a terminal.</summary>
    public static bool HasColors =>
        !_hasNoColor && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    /// <summary>Takes what the user asked for.</summary>
    /// <param name="parsed">The command line.</param>
    public static void Read(ParseResult parsed)
    {
        ArgumentNullException.ThrowIfNull(parsed);
        (_isQuiet, _isVerbose, _hasNoColor) = (parsed.GetValue(_quiet), parsed.GetValue(_verbose), parsed.GetValue(_noColor));
    }

    /// <summary>Takes these options for a command that reads its own words.</summary>
    /// <param name="words">The command line.</param>
    /// <returns>Its other words.</returns>
    public static string[] Take(IReadOnlyList<string> words)
    {
        (_isQuiet, _isVerbose, _hasNoColor) = (words.Any(word => Is(_quiet, word)), words.Any(word => Is(_verbose, word)), words.Any(word => Is(_noColor, word)));
        return [.. words.Where(word => !IsOption(word))];
    }

    /// <summary>Whether a word is one of these options.</summary>
    public static bool IsOption(string word) => Options.Any(option => Is(option, word));

    private static bool Is(Option option, string word) => option.Name == word || option.Aliases.Contains(word);

    /// <summary>Prints a line that is no result.</summary>
    public static void PrintMessage(string line)
    {
        if (!IsQuiet)
        {
            Console.Error.WriteLine(line);
        }
    }

    /// <summary>Names options of other programs that are taken and have no effect.</summary>
    public static void PrintIgnored(IReadOnlyCollection<string> words)
    {
        ArgumentNullException.ThrowIfNull(words);
        if (words.Count > 0)
        {
            PrintMessage($"sc2bridge: ignored, as they mean nothing here: {string.Join(' ', words)}");
        }
    }

    private static Option<bool> Everywhere(string name, string description) => new(name) { Description = description, Recursive = true };

    private static Option<bool> MakeQuiet()
    {
        var quiet = Everywhere("--quiet", "print errors and results only; the result of a match is the line that says how it ended");
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
