using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Free TCP ports of the loopback interface, for programs that are started with a port number. Two ranges are not used, because another
/// program could take a port before the new program listens on it. Systems give ports from 32768 (Linux) or 49152 (Windows, macOS) to
/// connections. portpicker, which python-sc2 and PySC2 use, gives out ports from 15000 to 24999.
/// </summary>
/// <remarks>
/// Bridges of one user never choose the same port at the same time, because each bridge locks a file for each of its newest ports. With the
/// same port, a bridge could connect to another bridge's game. A game serves only one client, so both bridges would wait.
/// </remarks>
public static class FreePorts
{
    private const int FirstPort = 25000;
    private const int PortAfterLast = 32768;
    private const int MostAttempts = 200;

    // After this number of attempts, ports are chosen without locks, because the folder of the locks may not be writable.
    private const int AttemptsWithLock = 100;

    // Only the newest ports stay locked. The programs with older ports already listen, or have ended.
    private const int MostLocks = 64;

    private static readonly Queue<FileStream> _locks = new();

    /// <summary>Returns different ports that are free now.</summary>
    /// <param name="count">How many ports.</param>
    /// <exception cref="SocketException">No port can be bound.</exception>
    public static int[] Find(int count)
    {
        var ports = new List<int>();
        lock (_locks)
        {
            for (var attempt = 0; ports.Count < count; attempt++)
            {
                var port = Random.Shared.Next(FirstPort, PortAfterLast);
                if (!ports.Contains(port) && (attempt >= AttemptsWithLock || TryLock(port)))
                {
                    try
                    {
                        ThrowIfTaken(port);
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

    /// <summary>Returns a port that is free now.</summary>
    /// <exception cref="SocketException">No port can be bound.</exception>
    public static int Find() => Find(1)[0];

    /// <summary>Whether a port can be bound now.</summary>
    /// <param name="port">The port.</param>
    public static bool IsFree(int port)
    {
        try
        {
            ThrowIfTaken(port);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private static void ThrowIfTaken(int port)
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
            // CreateNew does not follow a link that another user has put into the folder.
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
