using System.Runtime.InteropServices;

namespace Sc2Bridge.Admission;

/// <summary>How many files, and so connections, this process may have open.</summary>
internal static partial class OpenFiles
{
    /// <summary>Fewer connections than this are not worth a start.</summary>
    public const int LeastConnections = 16;

    // What the process itself opens: a match has some 240 (the program's own files, mostly), and pipes of its agents.
    private const int LeastReserve = 320;

    private const int LinuxResource = 7;
    private const int MacResource = 8;

    /// <summary>The most files; the runtime has raised the soft limit to the hard one.</summary>
    public static int Most { get; } = Read();

    /// <summary>The least that a start needs.</summary>
    public static int Least => LeastReserve + LeastConnections;

    /// <summary>How many of them connections may be.</summary>
    public static int ForConnections => Most - Math.Max(LeastReserve, Most / 4);

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
