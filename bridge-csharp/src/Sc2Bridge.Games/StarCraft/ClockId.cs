namespace Sc2Bridge.Games;

/// <summary>Tells whether two processes read the same monotonic clock.</summary>
public static class ClockId
{
    private const string BootId = "/proc/sys/kernel/random/boot_id";

    /// <summary>
    /// The same text for every process of one running machine; empty where the system has no such text.
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
