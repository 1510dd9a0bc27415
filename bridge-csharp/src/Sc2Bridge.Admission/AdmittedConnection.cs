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
    private readonly PeriodicTimer? _looks;

    /// <param name="connection">It was counted.</param>
    /// <param name="admission">Where.</param>
    /// <param name="address">For whom.</param>
    public AdmittedConnection(ConnectionContext connection, ConnectionAdmission admission, IPAddress address)
    {
        (_connection, _admission, _address) = (connection, admission, address);
        var closed = connection.ConnectionClosed;
        connection.Transport = new Metered(
            new MeteredInput(connection.Transport.Input, count => PayAsync(count, closed)), connection.Transport.Output);
        var socket = connection.Features.Get<IConnectionSocketFeature>()?.Socket;
        if (socket?.ProtocolType == ProtocolType.Tcp)
        {
            var silence = admission.Limits.SilenceTimeout;
            PeerMachine.KeepAlive(socket, silence);
            _looks = new PeriodicTimer(silence / Looks);
            _ = WatchAsync(_looks, socket, silence);
        }
    }

    public override string ConnectionId
    {
        get => _connection.ConnectionId;
        set => _connection.ConnectionId = value;
    }

    public override IFeatureCollection Features => _connection.Features;

    public override IDictionary<object, object?> Items
    {
        get => _connection.Items;
        set => _connection.Items = value;
    }

    public override IDuplexPipe Transport
    {
        get => _connection.Transport;
        set => _connection.Transport = value;
    }

    public override CancellationToken ConnectionClosed
    {
        get => _connection.ConnectionClosed;
        set => _connection.ConnectionClosed = value;
    }

    public override EndPoint? LocalEndPoint
    {
        get => _connection.LocalEndPoint;
        set => _connection.LocalEndPoint = value;
    }

    public override EndPoint? RemoteEndPoint
    {
        get => _connection.RemoteEndPoint;
        set => _connection.RemoteEndPoint = value;
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
            _admission.Disconnect(_address);
        }
    }

    private async ValueTask PayAsync(long count, CancellationToken closed)
    {
        try
        {
            await _admission.ReadBytesAsync(_address, count, closed).ConfigureAwait(false);
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

    private sealed class Metered(PipeReader input, PipeWriter output) : IDuplexPipe
    {
        public PipeReader Input => input;

        public PipeWriter Output => output;
    }
}
