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
    /// <summary>The exit code after Ctrl-C, as shells have it.</summary>
    public const int Interrupted = 130;

    /// <summary>Says what is wrong with a command line, in one line and not with the whole help.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="program">What starts the program, as a person writes it.</param>
    /// <returns>The exit code; null where nothing is wrong with it.</returns>
    public static async Task<int?> RefuseAsync(ParseResult parsed, string program = "sc2bridge")
    {
        if (Problem(parsed) is not { } problem)
        {
            return null;
        }

        // As `work submit` has it: without the program's own name.
        var name = "";
        for (var at = parsed.CommandResult; at.Parent is CommandResult above; at = above)
        {
            name = $"{at.Command.Name} {name}";
        }

        await Console.Error.WriteLineAsync($"sc2bridge: {problem} ({program} {name}--help says what there is)");
        return 1;
    }

    /// <summary>Runs a command.</summary>
    /// <returns>Its exit code; 1 after a line that says what to mend, and 130 where it was stopped.</returns>
    public static async Task<int> ReportAsync(Func<Task<int>> command)
    {
        try
        {
            return await command();
        }
        catch (Exception error) when (IsForAPerson(error))
        {
            await Console.Error.WriteLineAsync($"sc2bridge: {OneLine(error.Message)}");
            return 1;
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

    private static string? Problem(ParseResult parsed)
    {
        if (parsed.Action is ParseErrorAction)
        {
            return parsed is { CommandResult.Command: RootCommand, UnmatchedTokens: [var unknown, ..] }
                ? $"There is no command '{unknown}'"
                : OneLine(parsed.Errors[0].Message).TrimEnd('.');
        }

        // Such as an environment variable that is not set, in a script.
        var empty = parsed.CommandResult.Children
            .FirstOrDefault(child => child.Tokens.Any(token => string.IsNullOrWhiteSpace(token.Value)));
        return empty switch
        {
            OptionResult option => $"{option.Option.Name} has an empty value: write one, or leave it out",
            ArgumentResult argument => $"{argument.Argument.Name} is empty: write one",
            _ => null,
        };
    }

    private static string OneLine(string message) =>
        string.Join(' ', message.Split('\n', StringSplitOptions.TrimEntries));
}
