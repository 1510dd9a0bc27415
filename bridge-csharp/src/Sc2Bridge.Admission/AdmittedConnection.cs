using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Admission;

/// <summary>
/// A connection that is counted until it is gone, read no faster than its address may send, and cut where the client's
/// machine has vanished.
/// </summary>
internal sealed class AdmittedConnection : ConnectionContext
{
    // Sixteen looks within the time, so that it is kept to.
    private const int Looks = 16;

    private readonly ConnectionContext _connection;
    private readonly ConnectionAdmission _admission;
    private readonly IPAddress _address;
    private readonly IDisposable _place;
    private readonly PeriodicTimer? _looks;

    /// <param name="connection">It was counted.</param>
    /// <param name="admission">Where.</param>
    /// <param name="address">For whom.</param>
    /// <param name="place">Its place, which is free again when the connection is gone.</param>
    public AdmittedConnection(
        ConnectionContext connection, ConnectionAdmission admission, IPAddress address, IDisposable place)
    {
        (_connection, _admission, _address, _place) = (connection, admission, address, place);
        (ConnectionId, Items) = (connection.ConnectionId, connection.Items);
        (LocalEndPoint, RemoteEndPoint) = (connection.LocalEndPoint, connection.RemoteEndPoint);
        ConnectionClosed = connection.ConnectionClosed;
        connection.Transport = new DuplexPipe(
            new MeteredInput(connection.Transport.Input, PayAsync), connection.Transport.Output);
        var socket = connection.Features.Get<IConnectionSocketFeature>()?.Socket;
        if (socket?.ProtocolType == ProtocolType.Tcp)
        {
            var silence = admission.Limits.SilenceTimeout;
            PeerMachine.KeepAlive(socket, silence);
            _looks = new PeriodicTimer(silence / Looks);
            _ = WatchAsync(_looks, socket, silence);
        }
    }

    public override string ConnectionId { get; set; }

    public override IFeatureCollection Features => _connection.Features;

    public override IDictionary<object, object?> Items { get; set; }

    public override IDuplexPipe Transport
    {
        get => _connection.Transport;
        set => _connection.Transport = value;
    }

    public override void Abort(ConnectionAbortedException abortReason) => _connection.Abort(abortReason);

    public override async ValueTask DisposeAsync()
    {
        try
        {
            _looks?.Dispose();
            await _connection.DisposeAsync().ConfigureAwait(false);
            await base.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            _place.Dispose();
        }
    }

    private async ValueTask PayAsync(long count)
    {
        try
        {
            await _admission.Bytes.WaitAsync(_address, count, ConnectionClosed).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The read that follows says why the connection has ended.
        }
    }

    // Not in a timer's callback, which would end the process with whatever it throws.
    private async Task WatchAsync(PeriodicTimer looks, Socket socket, TimeSpan silence)
    {
        while (await looks.WaitForNextTickAsync().ConfigureAwait(false))
        {
            if (PeerMachine.IsGone(socket, silence))
            {
                Abort(new ConnectionAbortedException("The client's machine acknowledges nothing any more."));
                return;
            }
        }
    }
}
