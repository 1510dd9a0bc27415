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

/// <summary>What a person can mend becomes one line and a non-zero exit; a defect is shown whole.</summary>
public static class Failures
{
    /// <summary>The exit code if the command line is wrong. Nothing was started then.</summary>
    public const int Misused = 2;

    // Words of other programs, and what they are called here.
    private static readonly Dictionary<string, string[]> _elsewhere = new()
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

    /// <summary>The exit code after Ctrl-C, as shells have it.</summary>
    public const int Interrupted = 130;

    /// <summary>Adds to a message the place of the wrong value, if that is not the command line.</summary>
    public static Func<string, string> Locate { get; set; } = static message => message;

    /// <summary>Whether the command has begun. A process runs one command.</summary>
    public static bool HasBegun { get; private set; }

    /// <summary>Says what is wrong with a command line, in one line and not with the whole help.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="isTyped">False if a configuration file has added to it.</param>
    /// <returns>The exit code; null where nothing is wrong with it.</returns>
    public static async Task<int?> RefuseAsync(ParseResult parsed, bool isTyped = true)
    {
        if (((isTyped ? InFile(parsed) : null) ?? Problem(parsed)) is not { } problem)
        {
            return null;
        }

        var command = parsed.CommandResult.Command;
        var help = command is DocumentedCommand { Common.Count: > 0 } ? "--help-all" : "--help";
        await Console.Error.WriteLineAsync($"sc2bridge: {Locate(problem)} ({HelpText.Path(command)} {help} shows the options)");
        return Misused;
    }

    /// <summary>The command line, and the files that it names, have been read: what fails from now on is no misuse.</summary>
    public static void Begin() => HasBegun = true;

    /// <summary>Runs a command.</summary>
    /// <returns>
    /// Its exit code. After a line that says what to do, 2 if it failed before <see cref="Begin"/> and 1 if it failed later; 130 if it
    /// was stopped.
    /// </returns>
    public static async Task<int> ReportAsync(Func<Task<int>> command)
    {
        try
        {
            return await command();
        }
        catch (Exception error) when (IsForAPerson(error))
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {Locate(OneLine(error.Message))}");
            return HasBegun ? 1 : Misused;
        }
        catch (OperationCanceledException)
        {
            await Console.Error.WriteLineAsync("sc2bridge: stopped");
            return Interrupted;
        }
    }

    /// <summary>Whether an error says in one line what a person can mend.</summary>
    public static bool IsForAPerson(Exception error) => error
        is CommandException or RecordingException or GameException or AddressException
        or RequestRefusedException or FormatException or IOException or UnauthorizedAccessException or SocketException;

    /// <summary>Says that there is no such command, and which is meant.</summary>
    /// <param name="parent">Whose command it would be.</param>
    /// <param name="name">What was written.</param>
    public static string UnknownCommand(Command parent, string name)
    {
        ArgumentNullException.ThrowIfNull(parent);
        return $"there is no command '{name}'{Hint(name, parent.Subcommands.Where(one => !one.Hidden).Select(one => one.Name))}";
    }

    /// <summary>Adds to a message the option whose value it is about, which the part that reads the value does not know.</summary>
    /// <param name="message">One line.</param>
    /// <param name="parsed">The command line.</param>
    public static string NameOption(string message, ParseResult parsed)
    {
        ArgumentNullException.ThrowIfNull(message);
        ArgumentNullException.ThrowIfNull(parsed);
        var given = parsed.CommandResult.Children.OfType<OptionResult>().Where(one => !one.Implicit).ToList();
        return given.Find(one => one.Tokens.Any(token => IsAbout(message, token.Value))) is { } wrong
            && !given.Exists(one => message.Contains(one.Option.Name, StringComparison.Ordinal))
            ? $"{wrong.Option.Name}: {message}" : message;
    }

    // Addresses and paths are not quoted everywhere, and no other words look like them.
    private static bool IsAbout(string message, string value) =>
        value.Length > 0 && (message.Contains($"'{value}'", StringComparison.Ordinal) || message.Contains($"'{Path.GetFullPath(value)}'", StringComparison.Ordinal)
            || (value.AsSpan().ContainsAny(":/\\") && message.Contains(value, StringComparison.Ordinal)));

    private static string Hint(string word, IEnumerable<string> words) =>
        _elsewhere.GetValueOrDefault(word)?.FirstOrDefault(words.Contains) is { } here ? $"; did you mean {here}?" : ClosestWord.Hint(word, words);

    private static string? InFile(ParseResult parsed) =>
        (parsed.CommandResult.Command as DocumentedCommand)?.OnlyInFile.FirstOrDefault(option => parsed.GetResult(option) is { Implicit: false }) is { } option
            ? $"{option.Name} is a key of the configuration file: write {option.Name[2..]} = … there (sc2bridge init makes one)"
            : null;

    private static string? Problem(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        if (parsed.Action is not ParseErrorAction && parsed.Action != command.Action)
        {
            // Help, a version, or words for a shell's completion.
            return null;
        }

        if (!parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash) && Swallowed(parsed) is { } swallowed)
        {
            return swallowed;
        }

        if (command.TreatUnmatchedTokensAsErrors && parsed.UnmatchedTokens is [var unmatched, ..])
        {
            return command.Subcommands.Any(one => !one.Hidden) && !IsOption(unmatched) ? UnknownCommand(command, unmatched) : Unknown(command, unmatched);
        }

        foreach (var child in parsed.CommandResult.Children)
        {
            // Such as an environment variable that is not set, in a script.
            var isEmpty = child.Tokens.Any(token => string.IsNullOrWhiteSpace(token.Value));
            switch (child)
            {
                case ArgumentResult argument when isEmpty:
                    return $"{argument.Argument.Name} is empty: write one";
                case OptionResult { Implicit: false, Option: var option } when isEmpty:
                    return $"{option.Name} has an empty value: write one, or leave it out";
                case OptionResult { Implicit: false, Option: var option } when child.Tokens.Count < option.Arity.MinimumNumberOfValues:
                    return $"{option.Name} needs a value: {OptionKinds.ValueOf(option)}";
                case OptionResult { Implicit: false, Option: var option } when child.Tokens.Count > option.Arity.MaximumNumberOfValues:
                    return $"{option.Name} is given {child.Tokens.Count} times: give it once";
                default:
                    break;
            }
        }

        return parsed.Action is not ParseErrorAction ? null
            : command.Subcommands.Any(one => !one.Hidden) ? $"{command.Name} needs a command: {string.Join(", ", command.Subcommands.Where(one => !one.Hidden).Select(one => one.Name))}"
            : Missing(command, parsed) ?? OneLine(parsed.Errors[0].Message).TrimEnd('.');
    }

    // The parser takes an unknown option for a value.
    private static string? Swallowed(ParseResult parsed)
    {
        foreach (var child in parsed.CommandResult.Children)
        {
            if (child.Tokens.FirstOrDefault(token => IsOption(token.Value)) is { } taken)
            {
                return child is OptionResult { Option: var option }
                    ? $"{option.Name} needs a value before {taken.Value}: {OptionKinds.ValueOf(option)}" : Unknown(parsed.CommandResult.Command, taken.Value);
            }
        }

        return null;
    }

    private static string? Missing(Command command, ParseResult parsed) =>
        command.Arguments.FirstOrDefault(one => one.Arity.MinimumNumberOfValues > 0 && parsed.GetResult(one) is not { Tokens.Count: > 0 }) is { } argument
            ? $"{argument.Name} is missing: {HelpText.Plain(argument.Description)}"
        : command.Options.FirstOrDefault(one => one.Required && parsed.GetResult(one) is not { Tokens.Count: > 0 }) is { } option
            ? $"{option.Name} is missing: {HelpText.Plain(option.Description)}"
        : null;

    private static string Unknown(Command command, string word)
    {
        if (!IsOption(word))
        {
            return $"'{word}' is one word too many";
        }

        var options = command.Options.Concat(command.Parents.OfType<Command>().SelectMany(above => above.Options.Where(one => one.Recursive)));
        return $"unknown option '{word}'{Hint(word.Split('=')[0], options.Where(one => !one.Hidden).Select(one => one.Name))}";
    }

    // A negative number is a value.
    private static bool IsOption(string word) => word is ['-', '-', _, ..] or ['-', (>= 'a' and <= 'z') or (>= 'A' and <= 'Z'), ..];

    private static string OneLine(string message) =>
        string.Join(' ', message.Split('\n', StringSplitOptions.TrimEntries));
}
