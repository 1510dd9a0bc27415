using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Free TCP ports of the loopback interface, for programs that are started with a port number. Systems hand out ports from 32768
/// (Linux) or 49152 (Windows, macOS) to connections, and portpicker, which python-sc2 and PySC2 use, those from 15000 to 24999.
/// A port from there could be taken before the program listens on it.
/// </summary>
/// <remarks>
/// Bridges of one user never choose the same port at the same time: a process locks a file for each of its newest ports. A game
/// serves one client, so a bridge whose game lost its port would connect to the game of another bridge, and both would wait.
/// </remarks>
public static class FreePorts
{
    private const int First = 25000;
    private const int End = 32768;
    private const int MostAttempts = 200;

    // Later attempts choose ports without locks: perhaps no file can be written.
    private const int AttemptsWithLock = 100;

    // Programs have started to listen on older ports, or have ended.
    private const int MostLocks = 64;

    private static readonly Queue<FileStream> _locks = new();

    /// <summary>Different ports that are free now.</summary>
    /// <param name="count">How many.</param>
    /// <exception cref="SocketException">No port can be bound.</exception>
    public static int[] Find(int count)
    {
        var ports = new List<int>();
        lock (_locks)
        {
            for (var attempt = 0; ports.Count < count; attempt++)
            {
                var port = Random.Shared.Next(First, End);
                if (!ports.Contains(port) && (attempt >= AttemptsWithLock || TryLock(port)))
                {
                    try
                    {
                        Bind(port);
                        ports.Add(port);
                    }
                    catch (SocketException) when (attempt < MostAttempts)
                    {
                    }
                }
            }

            while (_locks.Count > MostLocks)
            {
                _locks.Dequeue().Dispose();
            }
        }

        return [.. ports];
    }

    /// <summary>A port that is free now.</summary>
    /// <exception cref="SocketException">No port can be bound.</exception>
    public static int Find() => Find(1)[0];

    /// <summary>Whether a port can be bound now.</summary>
    /// <param name="port">The port.</param>
    public static bool IsFree(int port)
    {
        try
        {
            Bind(port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static void Bind(int port)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
    }

    private static bool TryLock(int port)
    {
        var folder = Path.Combine(Path.GetTempPath(), $"sc2bridge-ports-{Environment.UserName}");
        try
        {
            Directory.CreateDirectory(folder);
            // No file is made through a link that another user has planted there.
            var path = Path.Combine(folder, port.ToString(CultureInfo.InvariantCulture));
            _locks.Enqueue(new FileStream(
                path, File.Exists(path) ? FileMode.Open : FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 1,
                FileOptions.DeleteOnClose));
            return true;
        }
        catch (Exception locked) when (locked is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
