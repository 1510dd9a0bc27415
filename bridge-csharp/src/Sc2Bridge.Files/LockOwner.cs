using System.Globalization;

namespace Sc2Bridge.Files;

/// <summary>The process that holds a lock, as its lock file names it.</summary>
/// <param name="Machine">The machine's name and, on Linux, its machine id.</param>
/// <param name="BootId">Linux: the id of the machine's boot. Empty elsewhere.</param>
/// <param name="PidNamespace">Linux: the namespace that the process id belongs to. Empty elsewhere.</param>
/// <param name="Process">The process id.</param>
/// <param name="StartTime">When the process started. The time distinguishes processes with the same id, because the system reuses ids.</param>
/// <param name="Key">The unique id of the lock; two locks of the same process have different keys.</param>
internal sealed record LockOwner(
    string Machine, string BootId, string PidNamespace, int Process, string StartTime, Guid Key)
{
    private const string FirstLine = "sc2bridge lock";

    // The machine's own process namespace, outside of all containers, has this number on Linux (PROC_PID_INIT_INO).
    private const string FirstNamespace = "pid:[4026531836]";

    private static readonly LockOwner _self = new(
        $"{Environment.MachineName}/{ReadText("/etc/machine-id")}", ReadText("/proc/sys/kernel/random/boot_id"),
        OperatingSystem.IsLinux() ? new FileInfo("/proc/self/ns/pid").LinkTarget ?? "" : "",
        Environment.ProcessId, ReadStartTime(Environment.ProcessId) ?? "", default);

    /// <summary>This process, for a new lock.</summary>
    internal static LockOwner ForThisProcess() => _self with { Key = Guid.NewGuid() };

    /// <summary>Reads a lock file.</summary>
    /// <returns>Null if the bridge did not write the file, or has not completed it yet.</returns>
    internal static LockOwner? Parse(string text)
    {
        string[] lines = text.Split('\n');
        var values = lines.Skip(1).Select(line => line.Split('=', 2)).Where(pair => pair.Length == 2)
            .GroupBy(pair => pair[0], pair => pair[1]).ToDictionary(group => group.Key, group => group.First());
        return lines[0] == FirstLine
            && int.TryParse(Value("process"), NumberStyles.None, CultureInfo.InvariantCulture, out var process)
            && Guid.TryParseExact(Value("key"), "N", out var key)
            ? new(Value("machine"), Value("boot"), Value("processes"), process, Value("started"), key)
            : null;

        string Value(string name) => values.GetValueOrDefault(name, "");
    }

    /// <summary>Makes the text of the lock file.</summary>
    internal string ToText() => string.Create(
        CultureInfo.InvariantCulture,
        $"{FirstLine}\nmachine={Machine}\nboot={BootId}\nprocesses={PidNamespace}\nprocess={Process}\nstarted={StartTime}\nkey={Key:N}\n");

    /// <summary>Whether the process has certainly ended.</summary>
    internal bool HasEnded => IsAlive is false;

    /// <summary>
    /// Whether the owner still runs. Null if this process cannot find out, because the owner runs on another machine or in a
    /// container that this process cannot see.
    /// </summary>
    internal bool? IsAlive =>
        BootId == _self.BootId && PidNamespace != _self.PidNamespace
            ? BootId.Length > 0 && _self.PidNamespace == FirstNamespace ? IsRunningInContainer() : null
        : Machine != _self.Machine ? null
        : BootId == _self.BootId ? IsRunningHere()

        // Containers on two hosts may have the same name. A machine id distinguishes hosts, but containers usually have none.
        : Machine.EndsWith('/') ? null : false;

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"process {Process} on {Machine.Split('/')[0]}");

    private bool IsRunningHere()
    {
        try
        {
            using var process = System.Diagnostics.Process.GetProcessById(Process);
            return ReadStartTime(Process) is not { } start || start == StartTime;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    // The machine sees the processes of all containers. The field NSpid (proc(5)) contains the id of a process in its container.
    private bool? IsRunningInContainer()
    {
        if (!File.Exists("/proc/1/status"))
        {
            // The system hides processes of other users.
            return null;
        }

        var ending = string.Create(CultureInfo.InvariantCulture, $"\t{Process}");
        return Directory.EnumerateDirectories("/proc")
            .Select(folder => int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id : 0)
            .Any(id => id > 0
                && ReadText($"/proc/{id}/status").Split('\n').Any(line =>
                    line.StartsWith("NSpid:", StringComparison.Ordinal) && line.EndsWith(ending, StringComparison.Ordinal))
                && ReadStartTime(id) == StartTime);
    }

    // Returns when a process started; null if the system does not report the time.
    private static string? ReadStartTime(int id)
    {
        try
        {
            if (!OperatingSystem.IsLinux())
            {
                using var process = System.Diagnostics.Process.GetProcessById(id);
                return process.StartTime.ToFileTimeUtc().ToString(CultureInfo.InvariantCulture);
            }

            // proc(5): the name may contain spaces and brackets. The fields after it begin with the state (field 3). The start time is field 22.
            var stat = File.ReadAllText($"/proc/{id}/stat");
            var fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
            return fields[0] is "Z" or "X" ? "ended" : fields[19];
        }
        catch (Exception error) when (error
            is IOException or UnauthorizedAccessException or ArgumentException or InvalidOperationException
            or System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    private static string ReadText(string file)
    {
        try
        {
            return OperatingSystem.IsLinux() ? File.ReadAllText(file).Trim() : "";
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
