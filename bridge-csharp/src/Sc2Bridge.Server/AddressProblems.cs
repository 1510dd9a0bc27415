using System.Net.Sockets;

namespace Sc2Bridge.Server;

/// <summary>Finds out why a server cannot listen on an address.</summary>
internal static class AddressProblems
{
    /// <summary>Removes a socket file that remains from an earlier server, because the old file would prevent the bind.</summary>
    /// <exception cref="AddressException">The file is not a socket, or a process listens on it.</exception>
    public static void RemoveStaleSocket(BridgeAddress address)
    {
        if (address.UnixPath is not { } path || !File.Exists(path))
        {
            return;
        }

        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(address.EndPoint);
        }
        catch (SocketException refused) when (refused.SocketErrorCode == SocketError.ConnectionRefused)
        {
            // A refused connection does not prove that the file is a socket, because a connection to a plain file is refused too.
            if (new FileInfo(path).Length > 0 || !IsSocket(path))
            {
                throw new AddressException($"{address.Text}: the path exists and is not a socket. Choose another path.");
            }

            File.Delete(path);
            return;
        }
        catch (SocketException problem)
        {
            throw new AddressException($"Cannot listen on {address.Text}: {problem.Message}. Choose another path.");
        }

        throw new AddressInUseException(address.Text);
    }

    /// <summary>Explains why a server cannot start, and names the address. Returns null if the cause is not an address.</summary>
    /// <param name="problem">The exception that prevented the start.</param>
    /// <param name="addresses">The addresses of the server.</param>
    public static AddressException? Explain(Exception problem, List<BridgeAddress> addresses)
    {
        // Kestrel wraps the cause twice and names the address only in text. So try to bind each address again.
        for (var inner = problem; inner is not null; inner = inner.InnerException)
        {
            if (inner is SocketException socket)
            {
                var text = addresses.Find(address => BindFails(address, socket.SocketErrorCode))?.Text
                    ?? string.Join(" or ", addresses.Select(address => address.Text));
                return socket.SocketErrorCode == SocketError.AddressAlreadyInUse
                    ? new AddressInUseException(text, problem)
                    : new AddressException(
                        $"Cannot listen on {text}: {socket.Message}. Choose another address.", problem);
            }
        }

        return null;
    }

    // .NET reports a socket file as an empty file that cannot be opened.
    private static bool IsSocket(string path)
    {
        try
        {
            File.OpenRead(path).Dispose();
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }

    private static bool BindFails(BridgeAddress address, SocketError error)
    {
        try
        {
            using var socket = new Socket(address.EndPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
            socket.Bind(address.EndPoint);
            return false;
        }
        catch (SocketException problem)
        {
            return problem.SocketErrorCode == error;
        }
    }
}
