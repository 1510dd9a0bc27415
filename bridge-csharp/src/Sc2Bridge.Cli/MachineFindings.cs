using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.InteropServices;
using Sc2Bridge.Games;
using Sc2Bridge.Processes;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>What there is on this machine beside the game: the program, ports, Python with its packages, disk.</summary>
internal static class MachineFindings
{
    // A match of 16,860 steps leaves some 100 MB, its recording for the most.
    private const long LittleRoom = 1L << 30;

    private const string AskPython = """
        import importlib, sys
        print("python", ".".join(map(str, sys.version_info[:3])))
        for name in ("google.protobuf", "grpc", "websockets", "numpy", "zstandard", "sc2bridge"):
            try:
                print(name, getattr(importlib.import_module(name), "__version__", "of no version"))
            except ImportError as error:
                print(name, "missing", error.name)
        """;

    /// <summary>The program's version, without the commit.</summary>
    internal static string Version { get; } = typeof(MachineFindings).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    /// <summary>This program, and what it runs on.</summary>
    internal static Finding OfProgram() => new(
        "program",
        Verdict.Ok,
        $"sc2bridge {Version} on {RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription} "
        + $"({RuntimeInformation.ProcessArchitecture}), {Environment.ProcessorCount} cores, "
        + $"{GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 20} MiB");

    /// <summary>Whether the servers, and the game, can listen.</summary>
    /// <param name="grpc">The gRPC server's address.</param>
    /// <param name="web">The WebSocket server's.</param>
    /// <param name="game">The started game's port; 0 for a free one.</param>
    /// <exception cref="AddressException">One is none.</exception>
    internal static IEnumerable<Finding> OfPorts(string grpc, string web, int game)
    {
        (string Flag, string Address, EndPoint At)[] wanted =
        [
            ("--grpc", grpc, BridgeAddress.Parse(grpc).EndPoint),
            ("--web", web, BridgeAddress.Parse(web).EndPoint),
            .. game == 0 ? [] : ((string, string, EndPoint)[])
                [("--game-port", $"127.0.0.1:{game}", new IPEndPoint(IPAddress.Loopback, game))],
        ];
        foreach (var (flag, address, at) in wanted.Where(one => one.At is IPEndPoint))
        {
            yield return WhyTaken((IPEndPoint)at) is { } why
                ? new Finding("port", Verdict.Problem, $"{address} cannot be listened on: {why}", $"End what listens there, or give another with {flag}")
                : new Finding("port", Verdict.Ok, $"{address} is free");
        }
    }

    /// <summary>The interpreter that agents are started with, and the packages that they need.</summary>
    /// <param name="named">The one that was asked for.</param>
    /// <param name="ct">Gives up.</param>
    internal static async Task<Finding> OfPythonAsync(string? named, CancellationToken ct)
    {
        var python = PythonInterpreter.Find(named);
        string[][] answers;
        try
        {
            var said = await ProcessRun.ToEndAsync(ChildEnvironment.Start(ChildKind.Agent, python, ["-c", AskPython]), ct);
            answers = [.. said.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.TrimEnd('\r').Split(' '))];
        }
        catch (CommandException failed)
        {
            return new Finding(
                "Python", Verdict.Problem, failed.Message,
                "Install Python 3.9 or newer, or name an interpreter with --python; without agents: --no-agents");
        }

        var versions = string.Join(", ", answers.Where(answer => answer is [_, not "missing", ..]).Select(answer => string.Join(' ', answer)));
        var missing = answers.Where(answer => answer is [_, "missing", _]).Select(answer => answer[2]).Distinct().ToList();
        var own = answers.FirstOrDefault(answer => answer[0] == "sc2bridge")?[1];
        return !System.Version.TryParse(answers.FirstOrDefault()?[^1], out var version) || version < new Version(3, 9)
                ? new Finding("Python", Verdict.Problem, $"{python}: {versions} is too old", "Name one of 3.9 or newer with --python")
            : missing.Count > 0
                ? new Finding(
                    "Python", Verdict.Problem, $"{python}: {versions}; without {string.Join(", ", missing)}",
                    $"Run: {python} -m pip install sc2bridge")
            : own != Version
                ? new Finding(
                    "Python", Verdict.Note, $"{python}: {versions}; the program is {Version}",
                    "They understand each other as far as the older one goes; install the same of both")
            : new Finding("Python", Verdict.Ok, $"{python}: {versions}");
    }

    /// <summary>Whether there is room for a match's files where the program was started.</summary>
    internal static Finding OfDisk()
    {
        var folder = Directory.GetCurrentDirectory();
        try
        {
            using (new FileStream(
                Path.Combine(folder, $".sc2bridge-{Guid.NewGuid():N}"), FileMode.CreateNew, FileAccess.Write, FileShare.None, 1,
                FileOptions.DeleteOnClose))
            {
            }

            var free = new DriveInfo(folder).AvailableFreeSpace;
            return free < LittleRoom
                ? new Finding(
                    "disk", Verdict.Note, $"{free >> 20} MiB are free in {folder}",
                    "A whole match takes some 100 MiB: make room, or write elsewhere with --out")
                : new Finding("disk", Verdict.Ok, $"{free >> 30} GiB are free in {folder}");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return new Finding("disk", Verdict.Problem, error.Message, "Start it where you may write, or write elsewhere with --out");
        }
    }

    private static string? WhyTaken(IPEndPoint at)
    {
        try
        {
            using var socket = new Socket(at.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(at);
            return null;
        }
        catch (SocketException taken)
        {
            return taken.Message;
        }
    }
}
