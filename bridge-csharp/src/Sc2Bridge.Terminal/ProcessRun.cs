using System.ComponentModel;
using System.Diagnostics;

namespace Sc2Bridge.Terminal;

/// <summary>Runs other programs.</summary>
public static class ProcessRun
{
    /// <summary>Starts a program.</summary>
    /// <exception cref="CommandException">There is none of that name.</exception>
    public static Process Start(ProcessStartInfo start)
    {
        start.RedirectStandardInput = start.RedirectStandardOutput = start.RedirectStandardError = true;
        try
        {
            return Process.Start(start)!;
        }
        catch (Win32Exception error)
        {
            throw new CommandException($"'{start.FileName}' cannot be started: {error.Message}", error);
        }
    }

    /// <summary>Runs a program to its end.</summary>
    /// <param name="start">Which, and with what.</param>
    /// <param name="ct">Kills it.</param>
    /// <param name="feed">Writes its standard input; null for none.</param>
    /// <returns>Its standard output.</returns>
    /// <exception cref="CommandException">It cannot be started, or failed: with the last line of its standard error.</exception>
    public static async Task<string> ToEndAsync(
        ProcessStartInfo start, CancellationToken ct, Func<Stream, Task>? feed = null)
    {
        using var process = Start(start);
        var output = process.StandardOutput.ReadToEndAsync(ct);
        var error = process.StandardError.ReadToEndAsync(ct);
        try
        {
            try
            {
                await (feed?.Invoke(process.StandardInput.BaseStream) ?? Task.CompletedTask);
                process.StandardInput.Close();
            }
            catch (IOException)
            {
                // It has ended: why, its exit code and its error say.
            }

            var text = await output;
            await process.WaitForExitAsync(ct);
            return process.ExitCode == 0
                ? text
                : throw new CommandException(LastLine(await error) ?? $"{start.FileName} ended with {process.ExitCode}");
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    /// <summary>The last line that says something; null where there is none.</summary>
    public static string? LastLine(string text) =>
        text.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).LastOrDefault();
}
