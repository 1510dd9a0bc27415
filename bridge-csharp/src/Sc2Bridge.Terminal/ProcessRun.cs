using System.ComponentModel;
using System.Diagnostics;
using System.Text;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Terminal;

/// <summary>Runs other programs.</summary>
public static class ProcessRun
{
    // Characters. Later output is read and dropped.
    private const int LongestOutput = 1 << 20;

    // A traceback may stand below the error.
    private const int MostErrors = 1000;

    /// <summary>Starts a program, whose output the caller reads.</summary>
    /// <param name="start">The program.</param>
    /// <param name="errors">Receives the lines of its standard error.</param>
    /// <exception cref="CommandException">There is none of that name.</exception>
    public static ChildProcess Start(ProcessStartInfo start, LastLines errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        try
        {
            return ChildProcess.Start(start, output: null, errors.Add);
        }
        catch (Win32Exception error)
        {
            throw new CommandException($"'{start.FileName}' cannot be started: {error.Message}", error);
        }
    }

    /// <summary>Runs a program to its end.</summary>
    /// <param name="start">Which, and with what.</param>
    /// <param name="ct">Ends it with all that it started, and waits for that.</param>
    /// <param name="feed">Writes its standard input; null for none.</param>
    /// <returns>Its standard output.</returns>
    /// <exception cref="CommandException">It cannot be started, or failed: with the last line of its standard error.</exception>
    public static async Task<string> ToEndAsync(
        ProcessStartInfo start, CancellationToken ct, Func<Stream, Task>? feed = null)
    {
        var errors = new LastLines(MostErrors);
        await using var process = Start(start, errors);
        var output = ReadAsync(process.Output, ct);
        try
        {
            await (feed?.Invoke(process.Input.BaseStream) ?? Task.CompletedTask);
            process.Input.Close();
        }
        catch (IOException)
        {
            // It has ended: why, its exit code and its error say.
        }

        var text = await output;
        var code = await process.Exited.WaitAsync(ct);
        return code == 0 ? text : throw new CommandException(
            errors.Lines.LastOrDefault(line => line.StartsWith("sc2bridge: ", StringComparison.Ordinal)) ?? errors.Last
            ?? $"{start.FileName} ended with {code}");
    }

    private static async Task<string> ReadAsync(StreamReader output, CancellationToken ct)
    {
        var text = new StringBuilder();
        var buffer = new char[4096];
        while (await output.ReadAsync(buffer, ct) is > 0 and var count)
        {
            text.Append(buffer, 0, Math.Min(count, LongestOutput - text.Length));
        }

        return text.ToString();
    }
}
