using System.Net;
using System.Net.Sockets;
using Sc2Bridge.Comparing.Running;

namespace Sc2Bridge.Comparing.Serving;

/// <summary>The least that can be done: a blocking socket that the same bytes are written to.</summary>
internal sealed class RawSender : ICellSender
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    /// <summary>Listens on a free port.</summary>
    public RawSender(string host)
    {
        _listener.Bind(new IPEndPoint(IPAddress.Parse(host), 0));
        _listener.Listen();
        Addresses = new SenderAddresses(Raw: _listener.LocalEndPoint!.ToString()!);
    }

    /// <inheritdoc/>
    public SenderAddresses Addresses { get; }

    /// <inheritdoc/>
    public async Task SendAsync(MeasuredSource match, int subscribers, CancellationToken ct)
    {
        using var client = await _listener.AcceptAsync(ct);
        client.NoDelay = true;
        try
        {
            await FrameLoop.RunAsync(
                match,
                frame =>
                {
                    Send(client, frame.GrpcMessage.Span);
                    return ValueTask.CompletedTask;
                },
                ct);
            Send(client, FrameLoop.Framed(FrameLoop.EndEvent(match)));
        }
        catch (SocketException)
        {
            // A client that has heard enough leaves.
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        _listener.Dispose();
        return ValueTask.CompletedTask;
    }

    private static void Send(Socket client, ReadOnlySpan<byte> rest)
    {
        while (rest.Length > 0)
        {
            rest = rest[client.Send(rest)..];
        }
    }
}
