using System.CommandLine;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Measuring;
using Sc2Bridge.Recordings;
using Sc2Bridge.Server;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>What a person can mend becomes one line and a non-zero exit; a defect is shown whole.</summary>
internal static class Failures
{
    /// <summary>The exit code after Ctrl-C, as shells have it.</summary>
    internal const int Interrupted = 130;

    /// <summary>Says what is wrong with a command line, in one line and not with the whole help.</summary>
    internal static async Task<int> RefuseAsync(ParseResult parsed)
    {
        var name = parsed.CommandResult.Command is RootCommand ? "" : $"{parsed.CommandResult.Command.Name} ";
        await Console.Error.WriteLineAsync(
            $"sc2bridge: {OneLine(parsed.Errors[0].Message).TrimEnd('.')} (sc2bridge {name}--help says what there is)");
        return 1;
    }

    internal static async Task<int> ReportAsync(Func<Task<int>> command)
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

    internal static bool IsForAPerson(Exception error) => error
        is CommandException or MeasuringException or RecordingException or GameException or AddressException
        or RequestRefusedException or FormatException or IOException or UnauthorizedAccessException;

    private static string OneLine(string message) =>
        string.Join(' ', message.Split('\n', StringSplitOptions.TrimEntries));
}
