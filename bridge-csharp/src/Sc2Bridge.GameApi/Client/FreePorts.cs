using System.Net;
using System.Net.Sockets;

namespace Sc2Bridge.GameApi;

/// <summary>
/// Free TCP ports of the loopback interface, for programs that are started with a port number. Systems hand out ports from 32768
/// (Linux) or 49152 (Windows, macOS) to connections. A port from there could be taken before the program listens on it.
/// </summary>
public static class FreePorts
{
    private const int First = 20000;
    private const int End = 32768;

    /// <summary>Different ports that are free now.</summary>
    /// <param name="count">How many.</param>
    /// <exception cref="SocketException">No port can be bound.</exception>
    public static int[] Find(int count)
    {
        var sockets = new List<Socket>();
        try
        {
            for (var attempt = 0; sockets.Count < count; attempt++)
            {
                try
                {
                    sockets.Add(Bind(Random.Shared.Next(First, End)));
                }
                catch (SocketException) when (attempt < 100)
                {
                    // Another program has it.
                }
            }

            return [.. sockets.Select(socket => ((IPEndPoint)socket.LocalEndPoint!).Port)];
        }
        finally
        {
            sockets.ForEach(socket => socket.Dispose());
        }
    }

    /// <summary>Whether a port can be bound now.</summary>
    /// <param name="port">The port.</param>
    public static bool IsFree(int port)
    {
        try
        {
            Bind(port).Dispose();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>A port that is free now.</summary>
    /// <exception cref="SocketException">No port can be bound.</exception>
    public static int Find() => Find(1)[0];

    private static Socket Bind(int port)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
