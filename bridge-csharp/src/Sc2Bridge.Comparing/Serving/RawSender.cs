using System.Net;
using System.Net.Sockets;
using Sc2Bridge.Comparing.Running;

namespace Sc2Bridge.Comparing.Serving;

/// <summary>
/// The least that can be done: a blocking socket that the same bytes are written to; of several, one after the other.
/// </summary>
internal sealed class RawSender : ICellSender
{
    private const int MostClients = 1024;

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    /// <summary>Listens on a free port.</summary>
    public RawSender(string host)
    {
        _listener.Bind(new IPEndPoint(IPAddress.Parse(host), 0));
        _listener.Listen(MostClients);
        Addresses = new SenderAddresses(Raw: _listener.LocalEndPoint!.ToString()!);
    }

    /// <inheritdoc/>
    public SenderAddresses Addresses { get; }

    /// <inheritdoc/>
    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        List<Socket> clients = [];
        var buffer = new byte[1 << 20];
        try
        {
            while (clients.Count < subscribers)
            {
                var client = await _listener.AcceptAsync(ct);
                client.NoDelay = true;
                clients.Add(client);
            }

            await FrameLoop.RunAsync(
                match,
                frame =>
                {
                    var message = frame.EventMessage.Span;
                    var length = FrameLoop.PrefixLength + message.Length;
                    buffer = buffer.Length < length ? new byte[length] : buffer;
                    FrameLoop.WriteFramed(buffer, message);
                    Send(clients, buffer.AsSpan(0, length));
                    return ValueTask.CompletedTask;
                },
                ct);
            Send(clients, FrameLoop.Framed(FrameLoop.EndEvent(match)));
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return ValueTask.CompletedTask;
    }

    private static void Send(List<Socket> clients, ReadOnlySpan<byte> message)
    {
        for (var index = clients.Count - 1; index >= 0; index--)
        {
            try
            {
                Send(clients[index], message);
            }
            catch (SocketException)
            {
                // A client that has heard enough leaves.
                clients[index].Dispose();
                clients.RemoveAt(index);
            }
        }
    }

    private static void Send(Socket client, ReadOnlySpan<byte> rest)
    {
        while (rest.Length > 0)
        {
            rest = rest[client.Send(rest)..];
        }
    }
}
