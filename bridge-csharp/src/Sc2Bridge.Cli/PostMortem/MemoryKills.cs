using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>Counts the processes that Linux killed because no memory was left, in this container and on the machine.</summary>
internal static class MemoryKills
{
    private static readonly string[] Files =
        ["/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control", "/proc/vmstat"];

    /// <summary>The number so far; 0 if the system does not count them.</summary>
    internal static long Count => Files.Sum(CountIn);

    private static long CountIn(string file)
    {
        try
        {
            return File.ReadLines(file).Select(line => line.Split(' '))
                .Where(words => words is ["oom_kill", _])
                .Sum(words => long.TryParse(words[1], NumberStyles.None, CultureInfo.InvariantCulture, out var count) ? count : 0);
        }
        catch (Exception missing) when (missing is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
