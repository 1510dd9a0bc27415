using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Runtime.InteropServices;
using Sc2Bridge.Games;
using Sc2Bridge.Processes;
using Sc2Bridge.Server;

namespace Sc2Bridge.Cli;

/// <summary>Checks this machine: the program, the ports, Python with its packages, and the disk. Other code checks the game.</summary>
internal static class MachineFindings
{
    // A match of 16,860 steps writes about 100 MB, most of it in the recording.
    private const long LowSpaceBytes = 1L << 30;

    private const string PythonProbe = """
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

    /// <summary>This program, its runtime and its operating system.</summary>
    internal static Finding DescribeProgram() => new(
        "program",
        Verdict.Ok,
        $"sc2bridge {Version} on {RuntimeInformation.FrameworkDescription}, {RuntimeInformation.OSDescription} "
        + $"({RuntimeInformation.ProcessArchitecture}), {Environment.ProcessorCount} cores, "
        + $"{GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 20} MiB");

    /// <summary>Checks whether the servers and the game can listen.</summary>
    /// <param name="grpc">The gRPC server's address.</param>
    /// <param name="web">The WebSocket server's address.</param>
    /// <param name="game">The port of the started game; 0 for a free port.</param>
    /// <exception cref="AddressException">An address is invalid.</exception>
    internal static IEnumerable<Finding> CheckPorts(string grpc, string web, int game)
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
            yield return FindPortProblem((IPEndPoint)at) is { } why
                ? new Finding("port", Verdict.Problem, $"{address} is not available: {why}", $"End the program that listens there, or name another address with {flag}")
                : new Finding("port", Verdict.Ok, $"{address} is free");
        }
    }

    /// <summary>Checks the interpreter that starts agents, and its packages.</summary>
    /// <param name="named">The interpreter that the user named.</param>
    /// <param name="ct">Cancels the check.</param>
    internal static async Task<Finding> CheckPythonAsync(string? named, CancellationToken ct)
    {
        var python = PythonInterpreter.Find(named);
        string[][] answers;
        try
        {
            var output = await ProcessRun.RunToEndAsync(ChildEnvironment.CreateStartInfo(ChildKind.Agent, python, ["-c", PythonProbe]), ct);
            answers = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.TrimEnd('\r').Split(' '))];
        }
        catch (CommandException failed)
        {
            return new Finding(
                "Python", Verdict.Problem, failed.Message,
                "Install Python 3.9 or newer, or name an interpreter with --python; to start no agents, add --no-agents");
        }

        var versions = string.Join(", ", answers.Where(answer => answer is [_, not "missing", ..]).Select(answer => string.Join(' ', answer)));
        var missing = answers.Where(answer => answer is [_, "missing", _]).Select(answer => answer[2]).Distinct().ToList();
        var own = answers.FirstOrDefault(answer => answer[0] == "sc2bridge")?[1];
        return !System.Version.TryParse(answers.FirstOrDefault()?[^1], out var version) || version < new Version(3, 9)
                ? new Finding("Python", Verdict.Problem, $"{python}: {versions} is too old", "Name an interpreter of version 3.9 or newer with --python")
            : missing.Count > 0
                ? new Finding(
                    "Python", Verdict.Problem, $"{python}: {versions}; without {string.Join(", ", missing)}",
                    $"Run: {python} -m pip install sc2bridge")
            : own != Version
                ? new Finding(
                    "Python", Verdict.Note, $"{python}: {versions}; the program is {Version}",
                    "Only the features of the older version work: install the same version of the Python package and the program")
            : new Finding("Python", Verdict.Ok, $"{python}: {versions}");
    }

    /// <summary>Checks whether the disk of the current folder has room for the files of a match.</summary>
    internal static Finding CheckDisk()
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
            return free < LowSpaceBytes
                ? new Finding(
                    "disk", Verdict.Note, $"{free >> 20} MiB are free in {folder}",
                    "A whole match takes some 100 MiB: make room, or name another folder with --out")
                : new Finding("disk", Verdict.Ok, $"{free >> 30} GiB are free in {folder}");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return new Finding("disk", Verdict.Problem, error.Message, "Start the program in a folder that you may write to, or name another folder with --out");
        }
    }

    private static string? FindPortProblem(IPEndPoint at)
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
