using System.Net.Sockets;

namespace Sc2Bridge.Server.Tests;

/// <summary>
/// A link to the bridge. It passes the agent's bytes at once, but blocks the bridge's bytes until it is opened: at the bridge's end
/// is a real socket with a small buffer and no reader.
/// </summary>
internal sealed class SlowWay : IDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _ended = new();
    private readonly EndPoint _bridge;
    private long _held;

    private SlowWay(EndPoint bridge, long held)
    {
        _bridge = bridge;
        _held = held;
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        _ = CarryAsync();
    }

    /// <summary>The address for the agent.</summary>
    public string Address => _listener.LocalEndPoint!.ToString()!;

    /// <summary>Creates a link to an address of the bridge.</summary>
    /// <param name="address">The bridge's address.</param>
    /// <param name="first">The number of the bridge's bytes that pass before it blocks: the handshake.</param>
    public static SlowWay To(string address, long first) => new(BridgeAddress.Parse(address).EndPoint, first);

    /// <summary>From now on all bytes pass.</summary>
    public void Open() => _open.TrySetResult();

    public void Dispose()
    {
        _ended.Cancel();
        _listener.Dispose();
        _ended.Dispose();
    }

    private async Task CarryAsync()
    {
        var token = _ended.Token;
        try
        {
            using var agent = await _listener.AcceptAsync(token);
            using var bridge = _bridge is IPEndPoint
                ? new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 8 << 10 }
                : new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await bridge.ConnectAsync(_bridge, token);
            await Task.WhenAll(CopyAsync(agent, bridge, token), CopyBackAsync(bridge, agent, token));
        }
        catch (Exception ended) when (ended is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            // The test has ended.
        }
    }

    private async Task CopyBackAsync(Socket bridge, Socket agent, CancellationToken token)
    {
        var buffer = new byte[4 << 10];
        while (_held > 0)
        {
            var room = (int)Math.Min(_held, buffer.Length);
            var read = await bridge.ReceiveAsync(buffer.AsMemory(0, room), token);
            await agent.SendAsync(buffer.AsMemory(0, read), token);
            _held -= read;
        }

        await _open.Task.WaitAsync(token);
        await CopyAsync(bridge, agent, token);
    }

    private static async Task CopyAsync(Socket from, Socket to, CancellationToken token)
    {
        var buffer = new byte[64 << 10];
        while (await from.ReceiveAsync(buffer, token) is > 0 and var read)
        {
            for (var sent = 0; sent < read;)
            {
                sent += await to.SendAsync(buffer.AsMemory(sent, read - sent), token);
            }
        }
    }
}
