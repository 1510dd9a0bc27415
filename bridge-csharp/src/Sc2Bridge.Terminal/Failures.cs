using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using System.Net.Sockets;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Terminal;

/// <summary>Runs commands and reports errors. An error that the user can correct causes one line and an exit code above 0. A defect prints a stack trace.</summary>
public static class Failures
{
    /// <summary>The exit code if the command line or a file is wrong. In this case, nothing was started.</summary>
    public const int UsageError = 2;

    // Commands and options of similar programs, with their names in this program.
    private static readonly Dictionary<string, string[]> _foreignNames = new()
    {
        ["play"] = ["match"],
        ["config"] = ["init"],
        ["result"] = ["inspect"],
        ["--opponent"] = ["--player"],
        ["--race"] = ["--player"],
        ["--bot"] = ["--agent"],
        ["--realtime"] = ["--rate"],
        ["--real-time"] = ["--rate"],
        ["--format"] = ["--parquet", "--json"],
    };

    /// <summary>The exit code after Ctrl-C. Shells use the same code.</summary>
    public const int Interrupted = 130;

    /// <summary>Adds to a message where the wrong value is, such as the line of a configuration file.</summary>
    public static Func<string, string> AddLocation { get; set; } = static message => message;

    /// <summary>Whether <see cref="MarkCommandBegun"/> was called. A process runs only one command.</summary>
    public static bool HasCommandBegun { get; private set; }

    /// <summary>If a command line is wrong, prints the problem as one line, without the help.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="isTyped">Whether the user typed the whole command line. False if options of a configuration file were added.</param>
    /// <returns>The exit code; null if the command line is valid.</returns>
    public static async Task<int?> PrintUsageErrorAsync(ParseResult parsed, bool isTyped = true)
    {
        if (((isTyped ? FindFileOnlyOption(parsed) : null) ?? FindUsageProblem(parsed)) is not { } problem)
        {
            return null;
        }

        var command = parsed.CommandResult.Command;
        var help = command is DocumentedCommand { CommonOptions.Count: > 0 } ? "--help-all" : "--help";
        await Console.Error.WriteLineAsync($"sc2bridge: {AddLocation(problem)} ({HelpText.CommandPath(command)} {help} shows the options)");
        return UsageError;
    }

    /// <summary>Marks that the command line and its files have been read. Later failures are not usage errors.</summary>
    public static void MarkCommandBegun() => HasCommandBegun = true;

    /// <summary>Runs a command.</summary>
    /// <returns>
    /// The command's exit code. If an error was printed: 130 after a stop, 2 before <see cref="MarkCommandBegun"/>, and 1 later. A failed output,
    /// a damaged recording and a service that does not answer always give 1.
    /// </returns>
    public static async Task<int> RunAndReportAsync(Func<Task<int>> command)
    {
        try
        {
            return await command();
        }
        catch (Exception error) when (IsUserError(error))
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {AddLocation(OneLine(error.Message))}");
            return HasCommandBegun || error is OutputException or GameException { IsUnreachable: true }
                || (error as RecordingException ?? error.InnerException) is RecordingException { IsDamage: true } ? 1 : UsageError;
        }
        catch (OperationCanceledException)
        {
            await Console.Error.WriteLineAsync("sc2bridge: stopped");
            return Interrupted;
        }
    }

    /// <summary>Whether the message of an error is one line about a problem that the user can correct.</summary>
    public static bool IsUserError(Exception error) => error
        is CommandException or RecordingException or GameException or AddressException
        or RequestRefusedException or FormatException or IOException or UnauthorizedAccessException or SocketException;

    /// <summary>Makes the message that a command does not exist. The message suggests a similar command.</summary>
    /// <param name="parent">The program, or the command before the unknown name.</param>
    /// <param name="name">The unknown name.</param>
    public static string DescribeUnknownCommand(Command parent, string name)
    {
        ArgumentNullException.ThrowIfNull(parent);
        return $"unknown command '{name}'{Hint(name, parent.Subcommands.Where(one => !one.Hidden).Select(one => one.Name))}";
    }

    /// <summary>Puts an option's name before a message about its value. The code that made the message does not know which option has the value.</summary>
    /// <param name="message">The message, as one line.</param>
    /// <param name="parsed">The command line.</param>
    public static string PrefixOption(string message, ParseResult parsed)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(parsed);
        var given = parsed.CommandResult.Children.OfType<OptionResult>().Where(one => !one.Implicit).ToList();
        return given.Where(one => one.Tokens.Any(token => IsAbout(message, token.Value))).MaxBy(one => one.Tokens.Max(token => token.Value.Length)) is { } wrong
            && !given.Exists(one => message.Contains(one.Option.Name, StringComparison.Ordinal))
            ? $"{wrong.Option.Name}: {message}" : message;
    }

    // Some messages contain addresses and paths without quotes. This method finds them too: no other words have these characters.
    private static bool IsAbout(string message, string value) =>
        value.Length > 0 && (message.Contains($"'{value}'", StringComparison.Ordinal) || message.Contains($"'{Path.GetFullPath(value)}'", StringComparison.Ordinal)
            || (value.AsSpan().ContainsAny(":/\\") && message.Contains(value, StringComparison.Ordinal)));

    private static string Hint(string word, IEnumerable<string> words) =>
        _foreignNames.GetValueOrDefault(word)?.FirstOrDefault(words.Contains) is { } here ? $"; did you mean {here}?" : ClosestWord.Hint(word, words);

    private static string? FindFileOnlyOption(ParseResult parsed) =>
        (parsed.CommandResult.Command as DocumentedCommand)?.OnlyInFile.FirstOrDefault(option => parsed.GetResult(option) is { Implicit: false }) is { } option
            ? $"{option.Name} is a key of the configuration file: write {option.Name[2..]} = … there (sc2bridge init makes one)"
            : null;

    private static string? FindUsageProblem(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        if (parsed.Action is not ParseErrorAction && parsed.Action != command.Action)
        {
            // The user asked for the help or the version, or a shell asked for a completion.
            return null;
        }

        if (!parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash) && FindSwallowedOption(parsed) is { } swallowed)
        {
            return swallowed;
        }

        if (command.TreatUnmatchedTokensAsErrors && parsed.UnmatchedTokens is [var unmatched, ..])
        {
            return command.Subcommands.Any(one => !one.Hidden) && !IsOption(unmatched) ? DescribeUnknownCommand(command, unmatched) : DescribeUnknown(command, unmatched, parsed);
        }

        foreach (var child in parsed.CommandResult.Children)
        {
            // A value is empty, for example, if a script uses an environment variable that is not set.
            var isEmpty = child.Tokens.Any(token => string.IsNullOrWhiteSpace(token.Value));
            switch (child)
            {
                case ArgumentResult argument when isEmpty:
                    return $"{argument.Argument.Name} is empty: write a value";
                case OptionResult { Implicit: false, Option: var option } when isEmpty:
                    return $"{option.Name} has an empty value: write a value, or leave out the option";
                case OptionResult { Implicit: false, Option: var option } when child.Tokens.Count < option.Arity.MinimumNumberOfValues:
                    return $"{option.Name} needs a value: {OptionKinds.DescribeValue(option)}";
                case OptionResult { Implicit: false, Option: var option } when child.Tokens.Count > option.Arity.MaximumNumberOfValues:
                    return $"{option.Name} is given {child.Tokens.Count} times: write it once";
                default:
                    break;
            }
        }

        return parsed.Action is not ParseErrorAction ? null
            : command.Subcommands.Any(one => !one.Hidden) ? $"{command.Name} needs a command: {string.Join(", ", command.Subcommands.Where(one => !one.Hidden).Select(one => one.Name))}"
            : FindMissing(command, parsed) ?? OneLine(parsed.Errors[0].Message).TrimEnd('.');
    }

    // The parser reads an unknown option as a value of the previous option.
    private static string? FindSwallowedOption(ParseResult parsed)
    {
        foreach (var child in parsed.CommandResult.Children)
        {
            if (child.Tokens.FirstOrDefault(token => IsOption(token.Value)) is { } taken)
            {
                return child is OptionResult { Option: var option }
                    ? $"{option.Name} needs a value before {taken.Value}: {OptionKinds.DescribeValue(option)}" : DescribeUnknown(parsed.CommandResult.Command, taken.Value, parsed);
            }
        }

        return null;
    }

    private static string? FindMissing(Command command, ParseResult parsed) =>
        command.Arguments.FirstOrDefault(one => one.Arity.MinimumNumberOfValues > 0 && parsed.GetResult(one) is not { Tokens.Count: > 0 }) is { } argument
            ? $"{argument.Name} is missing: {HelpText.ToPlainText(argument.Description)}"
        : command.Options.FirstOrDefault(one => one.Required && parsed.GetResult(one) is not { Tokens.Count: > 0 }) is { } option
            ? $"{option.Name} is missing: {HelpText.ToPlainText(option.Description)}"
        : null;

    private static string DescribeUnknown(Command command, string word, ParseResult parsed)
    {
        if (!IsOption(word))
        {
            var before = parsed.Tokens.Zip(parsed.Tokens.Skip(1)).FirstOrDefault(pair => pair.Second.Value == word).First?.Value;
            var flag = parsed.CommandResult.Children.OfType<OptionResult>().Any(one => one is { Option: Option<bool>, Implicit: false } && one.IdentifierToken?.Value == before)
                ? before : null;
            return $"'{word}' is one word too many{(flag is null ? "" : $": {flag} takes no value")}";
        }

        var options = command.Options.Concat(command.Parents.OfType<Command>().SelectMany(above => above.Options.Where(one => one.Recursive)));
        return $"unknown option '{word}'{Hint(word.Split('=')[0], options.Where(one => !one.Hidden || one.Name == "--help-all").Select(one => one.Name))}";
    }

    // A negative number is a value, not an option.
    private static bool IsOption(string word) => word is ['-', '-', _, ..] or ['-', (>= 'a' and <= 'z') or (>= 'A' and <= 'Z'), ..];

    private static string OneLine(string message) =>
        string.Join(' ', message.Split('\n', StringSplitOptions.TrimEntries));
}
