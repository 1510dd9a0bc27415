using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.Transports;

namespace Sc2Bridge.Cli;

/// <summary>Turns what a person can mend into one line and a non-zero exit; anything else is a defect and is shown whole.</summary>
internal static class Failures
{
    /// <summary>The exit code after Ctrl-C, as shells have it.</summary>
    internal const int Interrupted = 130;

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
        is CommandException or GameException or AddressException or RequestRefusedException
        or FormatException or IOException or UnauthorizedAccessException;

    private static string OneLine(string message) => string.Join(' ', message.Split('\n', StringSplitOptions.TrimEntries));
}
