using System.ComponentModel;
using System.Diagnostics;

namespace Sc2Bridge.Processes;

/// <summary>
/// A shell between this process and a child on Linux and macOS. It kills the child's process group when the child exits and
/// when a pipe to this process closes.
/// </summary>
/// <remarks>
/// The guard and the child each have a session of their own. So no terminal signal reaches them, and killing this process's
/// group does not kill the guard. Linux can also end a process with its parent (PR_SET_PDEATHSIG). But that call ends only
/// the child, must be made in the child, and takes effect as soon as the starting thread of the parent ends.
/// </remarks>
internal static class ProcessGuard
{
    private const int NotFound = 2;
    private const int NotPermitted = 13;

    // A shell gives a background program no input, unless the script redirects the input. The guard must not keep the child's
    // output open, because the end of the output shows that all processes have ended. The child has no group until `setsid` runs.
    private const string Script = """
        lifeline=$1
        folder=$2
        shift 2
        exec 3<&0 </dev/null
        "$@" <&3 3<&- &
        child=$!
        exec 3<&- >/dev/null 2>&1
        end() { kill -s KILL -- "-$child"; }
        { read -r _ <"/dev/fd/$lifeline"; end || kill -9 "$child"; } &
        watch=$!
        wait "$child"
        code=$?
        kill -9 "$watch"
        end
        [ -z "$folder" ] || rm -rf -- "$folder"
        exit "$code"
        """;

    private static readonly string[] _newSessionCommand =
        Find("setsid") is { } setsid ? [setsid]
        : Find("perl") is { } perl ? [perl, "-MPOSIX", "-e", "POSIX::setsid(); exec { $ARGV[0] } @ARGV"]
        : [];

    /// <summary>Makes the start information of a guard that starts a program.</summary>
    /// <param name="start">The program.</param>
    /// <param name="lifeline">The file descriptor of an inherited pipe that closes with this process.</param>
    /// <param name="folder">A folder that the guard deletes after the program has exited, or null.</param>
    /// <exception cref="Win32Exception">The program was not found, or is not executable.</exception>
    internal static ProcessStartInfo Wrap(ProcessStartInfo start, string lifeline, string? folder)
    {
        // Checked here, because the shell would report a missing program later and with another message.
        var program = Find(start.FileName) ?? throw new Win32Exception(File.Exists(start.FileName) ? NotPermitted : NotFound);
        string[] command =
        [
            .. _newSessionCommand, "/bin/sh", "-c", Script, "sh", lifeline, folder ?? "", .. _newSessionCommand, program, .. start.ArgumentList,
        ];
        var guarded = new ProcessStartInfo(command[0], command[1..])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = start.WorkingDirectory,
        };
        guarded.Environment.Clear();
        foreach (var (name, value) in start.Environment)
        {
            guarded.Environment[name] = value;
        }

        return guarded;
    }

    private static string? Find(string program)
    {
        var candidates = program.Contains('/', StringComparison.Ordinal)
            ? [Path.GetFullPath(program)]
            : (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Select(folder => Path.Combine(folder, program));
        return candidates.FirstOrDefault(IsExecutable);
    }

    private static bool IsExecutable(string path) =>
        !OperatingSystem.IsWindows() && File.Exists(path)
        && (File.GetUnixFileMode(path) & (UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute)) != 0;
}
