using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Sc2Bridge.Admission;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// One connection's unsent bytes, in Kestrel's buffers and in the socket's, which grows to megabytes. A subscriber of
/// the newest frame waits until they have left before it takes one, so that on a slow link a frame waits in the hub,
/// where a newer one replaces it, and not behind others in a buffer.
/// </summary>
internal sealed partial class SendBacklog(CountedOutput output, Socket? socket)
{
    // linux/sockios.h: bytes in the socket's send buffer that were not sent, or not acknowledged.
    private const nuint OutputQueue = 0x5411;

    private readonly bool _isTcp = socket?.ProtocolType == ProtocolType.Tcp;

    /// <summary>Bytes handed to the connection since it began.</summary>
    public long Sent => output.Bytes;

    /// <summary>The bytes that the peer's machine has acknowledged.</summary>
    public long Arrived => State().Arrived;

    /// <summary>Gives each of the address's connections a backlog as a feature.</summary>
    public static void Use(ListenOptions listen) => listen.Use(next => connection =>
    {
        var output = new CountedOutput(connection.Transport.Output);
        connection.Transport = new DuplexPipe(connection.Transport.Input, output);
        connection.Features.Set(
            new SendBacklog(output, connection.Features.Get<IConnectionSocketFeature>()?.Socket));
        return next(connection);
    });

    /// <summary>
    /// Waits until bytes have left, or nothing newer can come; completes synchronously where they have.
    /// </summary>
    /// <param name="sent">Where the last of them stands, counted as <see cref="Sent"/> is.</param>
    /// <param name="subscription">Whose they are: one that has ended is not waited for, as its reader may be stuck.</param>
    /// <param name="ct">Gives up.</param>
    public ValueTask ClearAsync(long sent, Subscription subscription, CancellationToken ct) =>
        State() is var state && state.WaitFor(sent) is null ? ValueTask.CompletedTask : WaitAsync(sent, subscription, state, ct);

    private async ValueTask WaitAsync(long sent, Subscription subscription, LinkState state, CancellationToken ct)
    {
        for (var looks = 0; state.WaitFor(sent, looks) is { } time && !subscription.HasEnded;)
        {
            await Task.Delay(time, ct);
            var arrived = state.Arrived;
            state = State();
            looks = state.Arrived > arrived ? 0 : looks + 1;
        }
    }

    // Where the system gives no figures, bytes count as sent once they are handed to the connection.
    private LinkState State()
    {
        var sent = output.Bytes;
        if (socket is null || !OperatingSystem.IsLinux())
        {
            return new LinkState(sent, 0, 0);
        }

        try
        {
            if (_isTcp)
            {
                return TcpInfo.Of(socket) is { } info ? LinkState.Of(info) : new LinkState(sent, 0, 0);
            }

            // A Unix socket: Kestrel's own buffer is unknown here. Until it hands its bytes on, the socket's may be
            // empty, so that one frame more is taken now and then.
            return Control(socket.SafeHandle, OutputQueue, out var queued) == 0
                ? new LinkState(sent - queued, 0, 0)
                : new LinkState(sent, 0, 0);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The next write fails with the cause.
            return new LinkState(long.MaxValue, 0, 0);
        }
    }

    [LibraryImport("libc", EntryPoint = "ioctl")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Control(SafeHandle socket, nuint request, out int value);
}
