using System.Runtime.InteropServices;

namespace Sc2Bridge.Admission;

/// <summary>How many files, and therefore connections, this process may have open.</summary>
internal static partial class OpenFiles
{
    /// <summary>The server does not start if it could serve fewer connections than this number.</summary>
    public const int LeastConnections = 16;

    // The files that are kept free for the process itself: about 240 for a match (mostly the program's own), and pipes to its agents.
    private const int LeastReserve = 320;

    private const int LinuxResource = 7;
    private const int MacResource = 8;

    /// <summary>The most files that this process may open. The runtime has raised the soft limit to the hard limit.</summary>
    public static int SoftLimit { get; } = Read();

    /// <summary>The smallest limit of open files with which the server starts.</summary>
    public static int LeastLimit => LeastReserve + LeastConnections;

    /// <summary>The most open files that may be connections.</summary>
    public static int MostConnections => SoftLimit - Math.Max(LeastReserve, SoftLimit / 4);

    private static int Read() =>
        !OperatingSystem.IsWindows()
        && GetLimit(OperatingSystem.IsMacOS() ? MacResource : LinuxResource, out var limit) == 0
            ? (int)Math.Min(limit.Soft, int.MaxValue)
            : int.MaxValue;

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int GetLimit(int resource, out Limit limit);

    private struct Limit
    {
        public nuint Soft;
        public nuint Hard;
    }
}
