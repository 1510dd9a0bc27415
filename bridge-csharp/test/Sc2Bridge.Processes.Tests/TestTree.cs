using System.Diagnostics;

namespace Sc2Bridge.Processes.Tests;

/// <summary>
/// A program that starts another one, whose own parent has exited. Each of the two writes its process number to a file.
/// </summary>
internal sealed class TestTree(string folder)
{
    private string OwnFile => Path.Combine(folder, "program");

    private string OrphanFile => Path.Combine(folder, "orphan");

    /// <param name="ending">What the program does in the end, as a command of the shell.</param>
    public ProcessStartInfo Program(string ending = "exec sleep 1000") => ChildEnvironment.Start(
        ChildKind.Agent, "/bin/sh",
        ["-c", $"(sleep 1000 & echo $! >{OrphanFile}); echo $$ >{OwnFile}; {ending}"]);

    /// <summary>Waits until both run.</summary>
    public async Task RunsAsync() => await HoldsAsync(() =>
        new[] { OwnFile, OrphanFile }.All(file => new FileInfo(file) is { Exists: true, Length: > 0 }));

    /// <summary>The processes that still live.</summary>
    public IReadOnlyList<int> Alive() =>
        [.. new[] { OwnFile, OrphanFile }.Select(file => int.Parse(File.ReadAllText(file))).Where(IsAlive)];

    private static bool IsAlive(int process)
    {
        try
        {
            // Empty as soon as the process has begun to exit.
            return File.ReadAllText($"/proc/{process}/cmdline").Length > 0;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
