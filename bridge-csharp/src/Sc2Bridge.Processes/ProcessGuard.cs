using System.ComponentModel;
using System.Diagnostics;

namespace Sc2Bridge.Processes;

/// <summary>
/// A shell between this process and a child on Linux and macOS. It kills the child's process group when the child exits and
/// when a pipe to this process closes.
/// </summary>
/// <remarks>
/// The guard and the child each have a session of their own: no signal of a terminal reaches them, and killing this process's
/// group does not kill the guard. A system call that ties a process to its parent (Linux: PR_SET_PDEATHSIG) would cover the
/// child alone, must be called in the child, and fires when the parent's thread ends.
/// </remarks>
internal static class ProcessGuard
{
    private const int NotFound = 2;
    private const int NotPermitted = 13;

    // A shell gives a background program no input unless it is named. The guard must hold no end of the child's output: its
    // end shows that all processes are gone. If `setsid` has not run yet, the child has no group.
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

    private static readonly string[] _inSession =
        Find("setsid") is { } setsid ? [setsid]
        : Find("perl") is { } perl ? [perl, "-MPOSIX", "-e", "POSIX::setsid(); exec { $ARGV[0] } @ARGV"]
        : [];

    /// <summary>Puts a guard around a program.</summary>
    /// <param name="start">The program.</param>
    /// <param name="lifeline">The number of an inherited pipe that closes with this process.</param>
    /// <param name="folder">A folder to delete afterwards, or null.</param>
    /// <exception cref="Win32Exception">The program was not found, or is not executable.</exception>
    internal static ProcessStartInfo Around(ProcessStartInfo start, string lifeline, string? folder)
    {
        // The shell would report this too late, and in its own words.
        var program = Find(start.FileName) ?? throw new Win32Exception(File.Exists(start.FileName) ? NotPermitted : NotFound);
        string[] words =
        [
            .. _inSession, "/bin/sh", "-c", Script, "sh", lifeline, folder ?? "", .. _inSession, program, .. start.ArgumentList,
        ];
        var guarded = new ProcessStartInfo(words[0], words[1..])
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
        var places = program.Contains('/', StringComparison.Ordinal)
            ? [Path.GetFullPath(program)]
            : (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Select(folder => Path.Combine(folder, program));
        return places.FirstOrDefault(IsExecutable);
    }

    private static bool IsExecutable(string path) =>
        !OperatingSystem.IsWindows() && File.Exists(path)
        && (File.GetUnixFileMode(path) & (UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute)) != 0;
}
