using System.Globalization;

namespace Sc2Bridge.Files;

/// <summary>The process that holds a lock, as its lock file names it.</summary>
/// <param name="Machine">The machine's name and, on Linux, its machine id.</param>
/// <param name="Boot">Linux: the id of the machine's boot. Empty elsewhere.</param>
/// <param name="Processes">Linux: the namespace that the process id belongs to. Empty elsewhere.</param>
/// <param name="Process">The process id.</param>
/// <param name="Started">When the process started: ids are used again.</param>
/// <param name="Key">Unlike the key of every other lock, also if the same process holds both.</param>
internal sealed record LockOwner(
    string Machine, string Boot, string Processes, int Process, string Started, Guid Key)
{
    private const string FirstLine = "sc2bridge lock";

    // Linux gives this number to the namespace of the machine itself (PROC_PID_INIT_INO).
    private const string FirstNamespace = "pid:[4026531836]";

    private static readonly LockOwner _self = new(
        $"{Environment.MachineName}/{Text("/etc/machine-id")}", Text("/proc/sys/kernel/random/boot_id"),
        OperatingSystem.IsLinux() ? new FileInfo("/proc/self/ns/pid").LinkTarget ?? "" : "",
        Environment.ProcessId, StartOf(Environment.ProcessId) ?? "", default);

    /// <summary>This process, for a new lock.</summary>
    internal static LockOwner New() => _self with { Key = Guid.NewGuid() };

    /// <summary>Reads a lock file.</summary>
    /// <returns>Null if it is not one of the bridge's, or not written yet.</returns>
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

    /// <summary>The lock file's text.</summary>
    internal string ToText() => string.Create(
        CultureInfo.InvariantCulture,
        $"{FirstLine}\nmachine={Machine}\nboot={Boot}\nprocesses={Processes}\nprocess={Process}\nstarted={Started}\nkey={Key:N}\n");

    /// <summary>Whether the process has certainly ended.</summary>
    internal bool HasEnded => Runs is false;

    /// <summary>
    /// Whether the process runs; null if this process cannot tell, because the other one belongs to another machine or to a
    /// container that is not visible from here.
    /// </summary>
    internal bool? Runs =>
        Boot == _self.Boot && Processes != _self.Processes
            ? Boot.Length > 0 && _self.Processes == FirstNamespace ? IsRunningBelow() : null
        : Machine != _self.Machine ? null
        : Boot == _self.Boot ? IsRunning()

        // Containers on two hosts may have one name. A machine id tells hosts apart, and containers usually have none.
        : Machine.EndsWith('/') ? null : false;

    /// <inheritdoc/>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"process {Process} on {Machine.Split('/')[0]}");

    private bool IsRunning()
    {
        try
        {
            using var process = System.Diagnostics.Process.GetProcessById(Process);
            return StartOf(Process) is not { } start || start == Started;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    // The machine sees the processes of all containers, each with its id in its container (proc(5), NSpid).
    private bool? IsRunningBelow()
    {
        if (!File.Exists("/proc/1/status"))
        {
            // Other users' processes are hidden.
            return null;
        }

        var ending = string.Create(CultureInfo.InvariantCulture, $"\t{Process}");
        return Directory.EnumerateDirectories("/proc")
            .Select(folder => int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id : 0)
            .Any(id => id > 0
                && Text($"/proc/{id}/status").Split('\n').Any(line =>
                    line.StartsWith("NSpid:", StringComparison.Ordinal) && line.EndsWith(ending, StringComparison.Ordinal))
                && StartOf(id) == Started);
    }

    // Null if the system does not say.
    private static string? StartOf(int id)
    {
        try
        {
            if (!OperatingSystem.IsLinux())
            {
                using var process = System.Diagnostics.Process.GetProcessById(id);
                return process.StartTime.ToFileTimeUtc().ToString(CultureInfo.InvariantCulture);
            }

            // proc(5): the name may contain spaces and brackets. Behind it are the state (field 3) and the start (field 22).
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

    private static string Text(string file)
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
