using System.Globalization;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Facts about processes from Linux.</summary>
internal static class ProcessFacts
{
    // The state of a socket that listens (the kernel's include/net/tcp_states.h).
    private const string ListenState = "0A";

    /// <summary>The memory that a process has, in bytes.</summary>
    public static long Resident(int process) =>
        long.Parse(File.ReadAllText($"/proc/{process}/statm").Split(' ')[1], CultureInfo.InvariantCulture)
        * Environment.SystemPageSize;

    /// <summary>The command lines of all processes that have an environment variable.</summary>
    public static IReadOnlyList<string> With(string name, string value) =>
    [
        .. Each(folder => File.ReadAllText($"{folder}/environ").Split('\0').Contains($"{name}={value}")
            ? File.ReadAllText($"{folder}/cmdline").Replace('\0', ' ')
            : null),
    ];

    /// <summary>The TCP ports that processes listen on, by the number of their socket.</summary>
    public static IReadOnlyDictionary<string, int> Listening(IEnumerable<int> processes)
    {
        var all = Listening();
        var held = processes.SelectMany(Sockets).ToHashSet();
        return all.Where(socket => held.Contains(socket.Key)).ToDictionary();
    }

    /// <summary>All TCP ports with a listener, by the number of the socket.</summary>
    public static IReadOnlyDictionary<string, int> Listening()
    {
        var listening = new Dictionary<string, int>();
        foreach (var line in new[] { "/proc/net/tcp", "/proc/net/tcp6" }.Where(File.Exists).SelectMany(File.ReadLines))
        {
            // "sl local_address rem_address st … inode", the address as hexadecimal digits, ":" and the port.
            var fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length > 9 && fields[3] == ListenState)
            {
                listening[fields[9]] = int.Parse(
                    fields[1].AsSpan(fields[1].IndexOf(':') + 1), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            }
        }

        return listening;
    }

    /// <summary>The numbers of a process's sockets.</summary>
    public static IReadOnlyList<string> Sockets(int process)
    {
        const string Socket = "socket:[";
        try
        {
            return [.. Directory.GetFiles($"/proc/{process}/fd")
                .Select(file => new FileInfo(file).LinkTarget)
                .Where(target => target?.StartsWith(Socket, StringComparison.Ordinal) == true)
                .Select(target => target![Socket.Length..^1])];
        }
        catch (Exception ended) when (ended is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static IEnumerable<T> Each<T>(Func<string, T?> of)
        where T : class
    {
        foreach (var folder in Directory.GetDirectories("/proc").Where(one => char.IsAsciiDigit(one[^1])))
        {
            T? found = null;
            try
            {
                found = of(folder);
            }
            catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
            {
                // It has ended meanwhile, or belongs to another user.
            }

            if (found is not null)
            {
                yield return found;
            }
        }
    }
}
