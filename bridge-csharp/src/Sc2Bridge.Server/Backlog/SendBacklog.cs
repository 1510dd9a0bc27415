using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Sc2Bridge.Admission;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// The unsent bytes of one connection, in Kestrel's and the socket's buffers, which can grow to megabytes. A subscriber
/// with the policy <c>latest</c> waits until these bytes are sent before it takes a frame. On a slow link the frame
/// then waits in the hub, and a newer frame can replace it there.
/// </summary>
internal sealed partial class SendBacklog(CountedOutput output, Socket? socket)
{
    // linux/sockios.h: bytes in the socket's send buffer that were not sent or not acknowledged.
    private const nuint OutputQueue = 0x5411;

    private readonly bool _isTcp = socket?.ProtocolType == ProtocolType.Tcp;

    /// <summary>The number of bytes written to the connection since it started.</summary>
    public long WrittenBytes => output.WrittenBytes;

    /// <summary>The number of bytes that the peer's machine has acknowledged.</summary>
    public long AcknowledgedBytes => ReadState().AcknowledgedBytes;

    /// <summary>Adds a backlog as a feature to each connection of an address.</summary>
    public static void Use(ListenOptions listen) => listen.Use(next => connection =>
    {
        var output = new CountedOutput(connection.Transport.Output);
        connection.Transport = new DuplexPipe(connection.Transport.Input, output);
        connection.Features.Set(
            new SendBacklog(output, connection.Features.Get<IConnectionSocketFeature>()?.Socket));
        return next(connection);
    });

    /// <summary>Waits until bytes have left this machine, or the subscription has ended. Completes synchronously if they have left.</summary>
    /// <param name="endPosition">The position after the last of these bytes, counted like <see cref="WrittenBytes"/>.</param>
    /// <param name="subscription">The subscription of the bytes. If it has ended, the method does not wait, because the client may no longer read.</param>
    /// <param name="ct">Cancels the wait.</param>
    public ValueTask WaitUntilSentAsync(long endPosition, Subscription subscription, CancellationToken ct) =>
        ReadState() is var state && state.WaitFor(endPosition) is null ? ValueTask.CompletedTask : WaitAsync(endPosition, subscription, state, ct);

    private async ValueTask WaitAsync(long endPosition, Subscription subscription, LinkState state, CancellationToken ct)
    {
        for (var idleChecks = 0; state.WaitFor(endPosition, idleChecks) is { } time && !subscription.HasEnded;)
        {
            await Task.Delay(time, ct);
            var acknowledged = state.AcknowledgedBytes;
            state = ReadState();
            idleChecks = state.AcknowledgedBytes > acknowledged ? 0 : idleChecks + 1;
        }
    }

    // If the system gives no figures, bytes count as sent when they are written to the connection.
    private LinkState ReadState()
    {
        var written = output.WrittenBytes;
        if (socket is null || !OperatingSystem.IsLinux())
        {
            return new LinkState(written, 0, 0);
        }

        try
        {
            if (_isTcp)
            {
                return TcpInfo.Of(socket) is { } info ? LinkState.Of(info) : new LinkState(written, 0, 0);
            }

            // For a Unix socket, Kestrel's own buffer is unknown here. The socket's buffer may be empty while
            // Kestrel still has bytes for it. So the subscriber sometimes takes a frame too early.
            return Ioctl(socket.SafeHandle, OutputQueue, out var queued) == 0
                ? new LinkState(written - queued, 0, 0)
                : new LinkState(written, 0, 0);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The next write reports the cause.
            return new LinkState(long.MaxValue, 0, 0);
        }
    }

    [LibraryImport("libc", EntryPoint = "ioctl")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int Ioctl(SafeHandle socket, nuint request, out int value);
}
