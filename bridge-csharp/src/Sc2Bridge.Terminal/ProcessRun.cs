using System.ComponentModel;
using System.Diagnostics;
using System.Text;
using Sc2Bridge.Processes;

namespace Sc2Bridge.Terminal;

/// <summary>Runs other programs.</summary>
public static class ProcessRun
{
    // The maximum output in characters. Later output is read and dropped.
    private const int LongestOutput = 1 << 20;

    // The maximum number of kept error lines. A traceback may follow the line that names the error.
    private const int MaxErrorLines = 1000;

    /// <summary>Starts a program. The caller reads the output of the program.</summary>
    /// <param name="start">The program.</param>
    /// <param name="errors">Receives the lines of the program's standard error.</param>
    /// <exception cref="CommandException">The program was not found.</exception>
    public static ChildProcess Start(ProcessStartInfo start, LastLines errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        try
        {
            return ChildProcess.Start(start, onOutputLine: null, errors.Add);
        }
        catch (Win32Exception error)
        {
            throw new CommandException($"'{start.FileName}' cannot be started: {error.Message}", error);
        }
    }

    /// <summary>Runs a program until it ends.</summary>
    /// <param name="start">The program and its arguments.</param>
    /// <param name="ct">If cancelled, the program and its children are killed.</param>
    /// <param name="writeInput">Writes the standard input of the program; null for no input.</param>
    /// <returns>The standard output of the program.</returns>
    /// <exception cref="CommandException">The start or the run failed. The message prefers the last error line that starts with "sc2bridge: ".</exception>
    public static async Task<string> RunToEndAsync(
        ProcessStartInfo start, CancellationToken ct, Func<Stream, Task>? writeInput = null)
    {
        var errors = new LastLines(MaxErrorLines);
        await using var process = Start(start, errors);
        var output = ReadAsync(process.Output, ct);
        try
        {
            await (writeInput?.Invoke(process.Input.BaseStream) ?? Task.CompletedTask);
            process.Input.Close();
        }
        catch (IOException)
        {
            // The program has ended. Its exit code and its standard error explain why.
        }

        var text = await output;
        var code = await process.Exited.WaitAsync(ct);
        return code == 0 ? text : throw new CommandException(
            errors.Lines.LastOrDefault(line => line.StartsWith("sc2bridge: ", StringComparison.Ordinal)) ?? errors.Last
            ?? $"{start.FileName} ended with exit code {code}");
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
