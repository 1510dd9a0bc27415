using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Sc2Bridge.Admission;

/// <summary>
/// Kestrel's sockets, where a connection over the limit is refused before the next one is accepted: in a middleware of
/// the connection it would be refused later than Kestrel accepts others, and the process's files would run out.
/// </summary>
/// <param name="sockets">Kestrel's.</param>
/// <param name="admission">Counts.</param>
/// <param name="says">How a refusal is said at an address; null: not at all, as before TLS.</param>
internal sealed class AdmittingListeners(
    SocketTransportFactory sockets, ConnectionAdmission admission, Func<EndPoint, RefusalBytes?> says)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => sockets.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new Listener(await sockets.BindAsync(endpoint, cancellationToken).ConfigureAwait(false), admission, says(endpoint));

    private sealed class Listener(IConnectionListener listener, ConnectionAdmission admission, RefusalBytes? says)
        : IConnectionListener
    {
        public EndPoint EndPoint => listener.EndPoint;

        public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
        {
            while (await listener.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } connection)
            {
                var address = (connection.RemoteEndPoint as IPEndPoint)?.Address;
                if (admission.Connection(address, out var refusal) is { } place)
                {
                    return new AdmittedConnection(connection, admission, ClientAddress.Of(address), place);
                }

                Close(connection, says?.Invoke(refusal!.Message) ?? []);
            }

            return null;
        }

        public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => listener.UnbindAsync(cancellationToken);

        public ValueTask DisposeAsync() => listener.DisposeAsync();

        // At once: the file is free again before the next connection comes. A new socket has room for the answer.
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
                // The client did not wait.
            }

            _ = connection.DisposeAsync().AsTask();
        }
    }
}
