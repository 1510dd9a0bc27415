using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>
/// Kestrel's sockets, with a limit for connections. A connection over the limit is refused before the next connection is
/// accepted. A middleware would refuse the connection later. Until then, Kestrel would accept further connections, and the process
/// could run out of files.
/// </summary>
/// <param name="sockets">Kestrel's sockets.</param>
/// <param name="admission">Counts the connections.</param>
/// <param name="encoderAt">Returns the encoder of refusals for a listener's address. If it returns null, for example for TLS, no refusal is sent.</param>
internal sealed class AdmittingListeners(
    SocketTransportFactory sockets, ConnectionAdmission admission, Func<EndPoint, RefusalEncoder?> encoderAt)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => sockets.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new Listener(await sockets.BindAsync(endpoint, cancellationToken).ConfigureAwait(false), admission, encoderAt(endpoint));

    private sealed class Listener(IConnectionListener listener, ConnectionAdmission admission, RefusalEncoder? encode)
        : IConnectionListener
    {
        public EndPoint EndPoint => listener.EndPoint;

        public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            while (await listener.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } connection)
            {
                var address = (connection.RemoteEndPoint as IPEndPoint)?.Address;
                if (admission.TryEnterConnection(address, out var refusal) is { } place)
                {
                    return new AdmittedConnection(connection, admission, ClientAddress.Of(address), place);
                }

                Close(connection, encode?.Invoke(refusal!.Message) ?? []);
            }

            return null;
        }

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => listener.UnbindAsync(cancellationToken);

        public ValueTask DisposeAsync() => listener.DisposeAsync();

        // Closes the socket at once, so that its file descriptor is free before the next connection comes. The send
        // buffer of a new socket has room for the answer, so sending does not wait.
        private static void Close(ConnectionContext connection, byte[] answer)
        {
            try
            {
                if (connection.Features.Get<IConnectionSocketFeature>()?.Socket is { } socket)
                {
                    socket.Send(answer);
                    socket.Shutdown(SocketShutdown.Both);
                    socket.Dispose();
                }
            }
            catch (Exception gone) when (gone is SocketException or ObjectDisposedException)
            {
                // The client has already disconnected.
            }

            _ = connection.DisposeAsync().AsTask();
        }
    }
}
