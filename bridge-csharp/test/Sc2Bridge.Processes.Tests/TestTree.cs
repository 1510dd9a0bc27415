using System.Diagnostics;

namespace Sc2Bridge.Processes.Tests;

/// <summary>A program that starts a second one, whose direct parent has exited. Both write their process IDs to files.</summary>
internal sealed class TestTree(string folder)
{
    private string OwnFile => Path.Combine(folder, "program");

    private string OrphanFile => Path.Combine(folder, "orphan");

    /// <param name="ending">A shell command that the program ends with.</param>
    public ProcessStartInfo Program(string ending = "exec sleep 1000") => ChildEnvironment.CreateStartInfo(
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
            // Empty when the process has begun to exit.
            return File.ReadAllText($"/proc/{process}/cmdline").Length > 0;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
