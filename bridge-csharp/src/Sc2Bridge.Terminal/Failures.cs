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

    /// <summary>The exit code after Ctrl-C, as shells have it.</summary>
    public const int Interrupted = 130;

    /// <summary>Adds to a message the place of the wrong value, if that is not the command line.</summary>
    public static Func<string, string> Locate { get; set; } = static message => message;

    // A process runs one command.
    private static volatile bool _hasBegun;

    /// <summary>Says what is wrong with a command line, in one line and not with the whole help.</summary>
    /// <param name="parsed">The command line.</param>
    /// <returns>The exit code; null where nothing is wrong with it.</returns>
    public static async Task<int?> RefuseAsync(ParseResult parsed)
    {
        if (Problem(parsed) is not { } problem)
        {
            return null;
        }

        await Console.Error.WriteLineAsync($"sc2bridge: {Locate(problem)} ({HelpText.Path(parsed.CommandResult.Command)} --help shows the options)");
        return Misused;
    }

    /// <summary>The command line, and the files that it names, have been read: what fails from now on is no misuse.</summary>
    public static void Begin() => _hasBegun = true;

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
            return _hasBegun ? 1 : Misused;
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
        return $"there is no command '{name}'{ClosestWord.Hint(name, parent.Subcommands.Where(one => !one.Hidden).Select(one => one.Name))}";
    }

    private static string? Problem(ParseResult parsed)
    {
        var command = parsed.CommandResult.Command;
        if (parsed.Action is not ParseErrorAction && parsed.Action != command.Action)
        {
            // Help, a version, or words for a shell's completion.
            return null;
        }

        var isLiteral = parsed.Tokens.Any(token => token.Type == TokenType.DoubleDash);
        if (command.TreatUnmatchedTokensAsErrors && parsed.UnmatchedTokens is [var unmatched, ..])
        {
            return command.Subcommands.Count > 0 && !IsOption(unmatched) ? UnknownCommand(command, unmatched) : Unknown(command, unmatched);
        }

        foreach (var child in parsed.CommandResult.Children)
        {
            var (name, tokens) = child switch
            {
                OptionResult { Implicit: false } option => (option.Option.Name, option.Tokens),
                ArgumentResult argument => (argument.Argument.Name, argument.Tokens),
                _ => ("", []),
            };
            if (tokens.FirstOrDefault(token => IsOption(token.Value)) is { } taken && !isLiteral)
            {
                // The parser takes it for a value.
                return child is OptionResult ? $"{name} needs a value before {taken.Value}" : Unknown(command, taken.Value);
            }

            if (tokens.Any(token => string.IsNullOrWhiteSpace(token.Value)))
            {
                // Such as an environment variable that is not set, in a script.
                return child is OptionResult ? $"{name} has an empty value: write one, or leave it out" : $"{name} is empty: write one";
            }

            var wanted = child is OptionResult { Implicit: false } given ? given.Option.Arity : ArgumentArity.ZeroOrMore;
            if (tokens.Count < wanted.MinimumNumberOfValues)
            {
                return $"{name} needs a value: {name} {((OptionResult)child).Option.HelpName}";
            }

            if (tokens.Count > wanted.MaximumNumberOfValues)
            {
                return $"{name} is given {tokens.Count} times: give it once";
            }
        }

        return parsed.Action is not ParseErrorAction ? null
            : command.Subcommands.Count > 0 ? $"{command.Name} needs a command: {string.Join(", ", command.Subcommands.Where(one => !one.Hidden).Select(one => one.Name))}"
            : Missing(command, parsed) ?? OneLine(parsed.Errors[0].Message).TrimEnd('.');
    }

    private static string? Missing(Command command, ParseResult parsed) =>
        command.Arguments.FirstOrDefault(one => one.Arity.MinimumNumberOfValues > 0 && parsed.GetResult(one) is not { Tokens.Count: > 0 }) is { } argument
            ? $"{argument.Name} is missing: {argument.Description}"
        : command.Options.FirstOrDefault(one => one.Required && parsed.GetResult(one) is null) is { } option
            ? $"{option.Name} is missing: {option.Description}"
        : null;

    private static string Unknown(Command command, string word)
    {
        if (!IsOption(word))
        {
            return $"'{word}' is one word too many";
        }

        var options = command.Options.Concat(command.Parents.OfType<Command>().SelectMany(above => above.Options.Where(one => one.Recursive)));
        return $"unknown option '{word}'{ClosestWord.Hint(word.Split('=')[0], options.Where(one => !one.Hidden).Select(one => one.Name))}";
    }

    // A negative number is a value.
    private static bool IsOption(string word) => word is ['-', '-', _, ..] or ['-', (>= 'a' and <= 'z') or (>= 'A' and <= 'Z'), ..];

    private static string OneLine(string message) =>
        string.Join(' ', message.Split('\n', StringSplitOptions.TrimEntries));
}
