using System.Net.Sockets;

namespace Sc2Bridge.Server.Tests;

/// <summary>
/// A way to the bridge that carries what the agent says, and of what the bridge says nothing until it is opened: its
/// end at the bridge is a real socket with a small buffer that nobody reads.
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

    /// <summary>Where the agent connects.</summary>
    public string Address => _listener.LocalEndPoint!.ToString()!;

    /// <summary>A way to that address.</summary>
    /// <param name="address">The bridge's.</param>
    /// <param name="first">Bytes of the bridge's that pass before it is closed: greetings.</param>
    public static SlowWay To(string address, long first) => new(BridgeAddress.Parse(address).EndPoint, first);

    /// <summary>From now on everything passes.</summary>
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
            // The test is over.
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
