using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Bench;

/// <summary>
/// A comparison that outlives the command that started it: this program once more, which checks and plans as ever, and
/// then leaves terminal and session and prints to a log. What is wrong is said before that, to who asked.
/// </summary>
internal static class CompareBackground
{
    /// <summary>What the process that stays is told by.</summary>
    internal const string Option = "--detached";

    private const string Left = "sc2bridge compare: in the background";

    /// <summary>Starts it, and returns as soon as it measures.</summary>
    /// <param name="folder">Where it keeps what it makes, as it was named.</param>
    /// <param name="arguments">The command, as it was given, without what asked for the background.</param>
    /// <param name="ct">Stops it, as long as it has not left.</param>
    /// <returns>The exit code.</returns>
    internal static async Task<int> StartAsync(string folder, IEnumerable<string> arguments, CancellationToken ct)
    {
        using var process = Process.Start(new ProcessStartInfo(
            OwnProgram.Words[0], [.. OwnProgram.Words.Skip(1), .. arguments, Option])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        try
        {
            var hasLeft = false;
            var saying = CopyAsync(process.StandardError, ct);
            while (!hasLeft && await process.StandardOutput.ReadLineAsync(ct) is { } line)
            {
                hasLeft = line == Left;
            }

            await saying;
            if (!hasLeft)
            {
                await process.WaitForExitAsync(ct);
                return process.ExitCode;
            }
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            throw;
        }

        Console.WriteLine($"it runs in the background, process {process.Id}");
        var log = Path.Combine(folder, "log.txt");
        Console.WriteLine($"watch it:  compare --out {folder} --status    (all it says: {log})");
        Console.WriteLine($"stop it:   {ComparisonState.Ending(process.Id)}    (the same command goes on with it)");
        return 0;
    }

    /// <summary>Leaves who started this process; what is printed from now on goes to a log.</summary>
    /// <param name="log">The file, which grows.</param>
    internal static void Leave(string log)
    {
        var writer = TextWriter.Synchronized(new StreamWriter(log, append: true) { AutoFlush = true });
        if (!OperatingSystem.IsWindows())
        {
            // It fails only where this process leads a session already.
            _ = NewSession();
        }

        Console.Error.WriteLine(Left);
        Console.WriteLine(Left);
        Console.SetOut(writer);
        Console.SetError(writer);
    }

    private static async Task CopyAsync(StreamReader said, CancellationToken ct)
    {
        while (await said.ReadLineAsync(ct) is { } line && line != Left)
        {
            await Console.Error.WriteLineAsync(line);
        }
    }

    // A terminal that is closed, or its Ctrl-C, is none of its business any more. See setsid(2).
    [DllImport("libc", EntryPoint = "setsid", ExactSpelling = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NewSession();
}
