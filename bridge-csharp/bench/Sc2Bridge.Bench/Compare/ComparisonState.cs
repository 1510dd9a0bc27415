using System.Diagnostics;
using System.Text.Json;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>How far the comparison in a folder is: a file that it writes and anybody may read.</summary>
/// <param name="Process">Whose it is.</param>
/// <param name="Done">What of it is done, from 0 to 1; of what was left when this process began.</param>
/// <param name="SecondsLeft">How long it will still take; null where that is not known yet.</param>
/// <param name="Now">What is measured.</param>
/// <param name="Ended">How it ended; null while it runs, and where it was killed.</param>
internal sealed record ComparisonState(int Process, double Done, double? SecondsLeft, string Now, string? Ended)
{
    internal const string File = "progress.json";
    private const int BarLength = 40;

    private static readonly JsonSerializerOptions _json = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower,
    };

    /// <summary>Whose comparison a folder has, in words; nothing where that is not known.</summary>
    internal static string ProcessOf(string folder) =>
        Read(folder) is { IsRunning: true } state ? Invariant($" (process {state.Process})") : "";

    /// <summary>What the comparison in a folder says of itself; null where there is none.</summary>
    internal static ComparisonState? Read(string folder)
    {
        try
        {
            return JsonSerializer.Deserialize<ComparisonState>(
                System.IO.File.ReadAllText(Path.Combine(folder, File)), _json);
        }
        catch (Exception none) when (none is IOException or UnauthorizedAccessException or JsonException)
        {
            return null;
        }
    }

    /// <summary>Prints it: a bar, an estimate, and how to go on.</summary>
    /// <param name="folder">As it was named.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="CommandException">There is none.</exception>
    internal static int Print(string folder)
    {
        // In this order: what is free now has said its last before.
        var isTaken = DirectoryLock.IsTaken(folder);
        var found = Read(folder);
        if (isTaken && found is not { IsRunning: true })
        {
            // What the file says, if anything, is of one before.
            Console.WriteLine("starting: nothing is measured yet");
            return 0;
        }

        var state = found ?? throw new CommandException(
            $"{folder} holds no comparison: name the folder that one was started with (--out), or start one");
        var full = (int)Math.Round(Math.Clamp(state.Done, 0, 1) * BarLength);
        var bar = new string('#', full).PadRight(BarLength, '.');
        Console.WriteLine(Invariant($"[{bar}] {Math.Clamp(state.Done, 0, 1) * 100:0} %"));
        Console.WriteLine(isTaken
            ? $"running{Left(state)}: {state.Now}; {Ending(state.Process)} stops it"
            : state.Ended is { } ended
                ? $"{ended}{(ended == Finished ? $": {Path.Combine(folder, "report.html")}" : Again)}"
                : $"it was killed{Again}");
        return 0;
    }

    // Whether it is of a process that there is: it has not ended, and was not killed.
    private bool IsRunning
    {
        get
        {
            try
            {
                using var process = System.Diagnostics.Process.GetProcessById(Process);
                return Ended is null;
            }
            catch (ArgumentException)
            {
                return false;
            }
        }
    }

    /// <summary>How a person ends it.</summary>
    internal static string Ending(int process) =>
        Invariant($"{(OperatingSystem.IsWindows() ? "taskkill /f /pid" : "kill")} {process}");

    /// <summary>Ended with all that there is to do.</summary>
    internal const string Finished = "done";

    private const string Again = "; the command that started it goes on with it";

    /// <summary>Writes it; who reads meanwhile reads this or what was there.</summary>
    internal void Write(string folder)
    {
        var written = Path.Combine(folder, File);
        System.IO.File.WriteAllText(written + ".part", JsonSerializer.Serialize(this, _json));
        System.IO.File.Move(written + ".part", written, overwrite: true);
    }

    /// <summary>Keeps it while some work runs, to its end.</summary>
    /// <param name="folder">Null where it is not kept.</param>
    /// <param name="work">Gets what to tell its progress.</param>
    internal static async Task KeepAsync(string? folder, Func<Action<ComparisonProgress>, Task> work)
    {
        if (folder is null)
        {
            await work(_ => { });
            return;
        }

        var state = new ComparisonState(Environment.ProcessId, 0, null, "starting", null);
        var begun = Stopwatch.GetTimestamp();
        state.Write(folder);
        try
        {
            await work(progress =>
            {
                var done = progress.Total > 0 ? progress.Done / progress.Total : 0;
                var passed = Stopwatch.GetElapsedTime(begun).TotalSeconds;
                state = state with
                {
                    Done = done,
                    SecondsLeft = done > 0 ? Math.Round(passed / done * (1 - done)) : null,
                    Now = progress.Now,
                };
                state.Write(folder);
            });
            (state with { Done = 1, SecondsLeft = 0, Ended = Finished }).Write(folder);
        }
        catch (OperationCanceledException)
        {
            (state with { Ended = "stopped" }).Write(folder);
            throw;
        }
        catch (Exception problem)
        {
            (state with { Ended = $"failed: {problem.Message}" }).Write(folder);
            throw;
        }
    }

    private static string Left(ComparisonState state) =>
        state.SecondsLeft is { } seconds ? $", {CompareProgress.Duration(seconds)} left" : "";
}
