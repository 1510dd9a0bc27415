namespace Sc2Bridge.Games;

/// <summary>An id that is equal in two processes if they read the same monotonic clock.</summary>
public static class ClockId
{
    private const string BootId = "/proc/sys/kernel/random/boot_id";

    /// <summary>
    /// Returns an id that is the same for every process until the machine restarts; empty if the system has no such id.
    /// </summary>
    public static string Read()
    {
        try
        {
            return OperatingSystem.IsLinux() ? File.ReadAllText(BootId).Trim() : "";
        }
        catch (Exception unreadable) when (unreadable is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
