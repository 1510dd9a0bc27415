using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Admission;

/// <summary>
/// A connection that the admission has counted. The bridge reads from the connection no faster than the rate limit of the
/// client's address allows. It closes the connection if the client's machine no longer acknowledges data.
/// </summary>
internal sealed class AdmittedConnection : ConnectionContext
{
    // The number of checks in each silence timeout. With several checks, the connection is closed soon after the timeout.
    private const int ChecksPerTimeout = 16;

    private readonly ConnectionContext _connection;
    private readonly ConnectionAdmission _admission;
    private readonly IPAddress _address;
    private readonly IDisposable _place;
    private readonly PeriodicTimer? _timer;

    /// <param name="connection">An accepted connection that was counted.</param>
    /// <param name="admission">The admission that counted it.</param>
    /// <param name="address">The client's address, for which the connection was counted.</param>
    /// <param name="place">Lowers the count of connections again when it is disposed. This happens when the connection ends.</param>
    public AdmittedConnection(
        ConnectionContext connection, ConnectionAdmission admission, IPAddress address, IDisposable place)
    {
        (_connection, _admission, _address, _place) = (connection, admission, address, place);
        (ConnectionId, Items) = (connection.ConnectionId, connection.Items);
        (LocalEndPoint, RemoteEndPoint) = (connection.LocalEndPoint, connection.RemoteEndPoint);
        ConnectionClosed = connection.ConnectionClosed;
        connection.Transport = new DuplexPipe(
            new MeteredInput(connection.Transport.Input, WaitForRateAsync), connection.Transport.Output);
        var socket = connection.Features.Get<IConnectionSocketFeature>()?.Socket;
        if (socket?.ProtocolType == ProtocolType.Tcp)
        {
            var silenceTimeout = admission.Limits.SilenceTimeout;
            PeerMachine.EnableKeepAlive(socket, silenceTimeout);
            _timer = new PeriodicTimer(silenceTimeout / ChecksPerTimeout);
            _ = WatchAsync(_timer, socket, silenceTimeout);
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
            _timer?.Dispose();
            await _connection.DisposeAsync().ConfigureAwait(false);
            await base.DisposeAsync().ConfigureAwait(false);
        }
        finally
        {
            _place.Dispose();
        }
    }

    private async ValueTask WaitForRateAsync(long count)
    {
        try
        {
            await _admission.ByteRate.WaitAsync(_address, count, ConnectionClosed).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The next read reports why the connection has ended.
        }
    }

    // This is a loop and not a timer's callback, because an exception in such a callback would end the process.
    private async Task WatchAsync(PeriodicTimer timer, Socket socket, TimeSpan silenceTimeout)
    {
        while (await timer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            if (PeerMachine.IsGone(socket, silenceTimeout))
            {
                Abort(new ConnectionAbortedException("The client's machine no longer acknowledges data."));
                return;
            }
        }
    }
}
