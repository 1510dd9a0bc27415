using System.Net.Sockets;

namespace Sc2Bridge.Server;

/// <summary>What keeps a server from listening on an address.</summary>
internal static class AddressProblems
{
    /// <summary>Removes the file of a socket that outlived its server, which would keep the next one from listening.</summary>
    /// <exception cref="AddressException">There is a file that is no socket, or something that listens.</exception>
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
            // Connecting to a plain file is refused as well.
            if (new FileInfo(path).Length > 0 || !IsSocket(path))
            {
                throw new AddressException($"{address.Text}: there is a file that is no socket. Choose another path.");
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

    /// <summary>Why a server does not start, with the address that fails; null: for another reason.</summary>
    /// <param name="problem">What the start threw.</param>
    /// <param name="addresses">The addresses that it was to listen on.</param>
    public static AddressException? Explain(Exception problem, List<BridgeAddress> addresses)
    {
        // Kestrel names the address in a text of its own and wraps the reason twice; ask for the first that fails again.
        for (var inner = problem; inner is not null; inner = inner.InnerException)
        {
            if (inner is SocketException socket)
            {
                var text = addresses.Find(address => Fails(address, socket.SocketErrorCode))?.Text
                    ?? string.Join(" or ", addresses.Select(address => address.Text));
                return socket.SocketErrorCode == SocketError.AddressAlreadyInUse
                    ? new AddressInUseException(text, problem)
                    : new AddressException(
                        $"Cannot listen on {text}: {socket.Message}. Choose another address.", problem);
            }
        }

        return null;
    }

    // .NET reports a socket's file as one without contents that cannot be opened.
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

    private static bool Fails(BridgeAddress address, SocketError error)
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
