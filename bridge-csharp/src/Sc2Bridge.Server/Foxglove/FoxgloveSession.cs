using System.Net;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Http;
using Sc2Bridge.Admission;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// Serves one client with Foxglove's protocol, from its connection to the end of a match. The session waits for the running or next match,
/// sends the list of channels, and sends the data of the channels that the client subscribes to.
/// </summary>
internal sealed class FoxgloveSession : IDisposable
{
    // The longest message of a client in bytes. A subscription needs about 30 bytes.
    private const int LongestMessage = 64 << 10;

    private readonly WebSocket _socket;
    private readonly SessionServices _services;
    private readonly Identity _identity;
    private readonly IPAddress? _address;
    private readonly ClientLimits _limits;
    private readonly FoxgloveSocket _sender;
    private readonly UnfinishedMessage _unfinishedMessage;
    private readonly WebSocketMessageReader _reader;
    private readonly SessionEnd _end;
    private readonly RunningTasks _running = new();
    private IDisposable? _place;
    private volatile FoxgloveChannels? _channels;
    private volatile FoxglovePlayback? _playback;

    /// <summary>Creates a session. The caller disposes the socket.</summary>
    public FoxgloveSession(WebSocket socket, HttpContext http, SessionServices services)
    {
        (_socket, _services) = (socket, services);
        _identity = Authentication.IdentityOf(http);
        _address = http.Connection.RemoteIpAddress;
        _limits = new ClientLimits(services.Hub, http.Connection.RemoteIpAddress, http.Connection.RemotePort);
        _sender = new FoxgloveSocket(socket, http.Features.Get<SendBacklog>());
        _end = new SessionEnd(_sender, "ws.foxglove", services.Logger);
        _unfinishedMessage = services.Admission.Unfinished.Track(socket.Abort);
        _reader = new WebSocketMessageReader(socket, LongestMessage, _unfinishedMessage.Resize);
    }

    /// <summary>The sub-protocol of the current Foxglove.</summary>
    public const string Sdk = "foxglove.sdk.v1";

    /// <summary>The previous sub-protocol. It has the same messages, except the playback messages.</summary>
    public const string WebSocketV1 = "foxglove.websocket.v1";

    /// <summary>Serves the client until the client or the bridge has closed the connection.</summary>
    /// <param name="stopping">Cancelled when the bridge stops.</param>
    /// <param name="gone">Cancelled when the connection is lost.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken gone)
    {
        using var onGone = gone.UnsafeRegister(static end => ((SessionEnd)end!).Abort(), _end);
        using var onStop = stopping.UnsafeRegister(static end => _ = ((SessionEnd)end!).StopAsync(), _end);
        var serving = _end.RunGuardedAsync(ServeAsync);
        await ReadAsync();
        await _end.SignalWrittenAsync();
        var closing = _sender.CloseAsync("", SessionLimits.CloseTimeout);
        await serving;
        await _running.WaitAllAsync();
        await closing;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _channels?.Dispose();
        _place?.Dispose();
        _unfinishedMessage.Dispose();
        _sender.Dispose();
        _end.Dispose();
    }

    private async Task ServeAsync()
    {
        // A client that waits for a match also takes a place among the allowed subscriptions.
        _place = await _services.Admission.ReservePlaceAsync(_address, _end.Ended);
        var match = new FoxgloveMatch(
            await _services.Hub.CurrentMatch.DescribeAsync(new DescribeRequest(), _identity, _end.Ended), _identity);
        var description = match.Description;
        var playback = new FoxglovePlayback(
            _services.Hub.CurrentMatch, description.MatchId, _identity, _sender, knowsState: _socket.SubProtocol == Sdk);
        var state = match.IsPlayback && _identity.Roles.HasFlag(Roles.Control) ? playback.ReadState() : null;
        var metadata = new Dictionary<string, string> { ["map"] = description.MapName, ["match"] = description.MatchId };
        foreach (var player in description.Players)
        {
            metadata[$"player {player.PlayerId}"] = $"{player.Name} {player.Race.Words()}".Trim();
        }

        await _sender.SendTextAsync(ServerMessage.Info(
            description.MatchId, metadata,
            state is null ? null : (GameTime.FromLoop(state.FirstGameLoop), GameTime.FromLoop(state.LastGameLoop))));

        // From here on the client has a subscription. So it gets the match's end, even if it subscribes to no channel.
        var channels = new FoxgloveChannels(
            match, _services, _identity, _address, _sender, () => _playback?.ReadState()?.GameLoop ?? 0);
        _channels = channels;
        if (state is not null)
        {
            _playback = playback;
            _running.Add(_end.RunGuardedAsync(() => playback.WatchAsync(_end.Ended)));
        }

        _running.Add(_end.RunGuardedAsync(() => channels.Rows.RunAsync(_end.Ended)));
        await _sender.SendTextAsync(ServerMessage.Advertise(match.Topics));
        await RunFeedAsync(channels.FirstFeed, new FirstFeedCallbacks(SendJumpAsync, () => channels.ShowAgainAsync(_end.Ended)));
    }

    private async Task ReadAsync()
    {
        var canRead = true;
        while (canRead)
        {
            try
            {
                var type = await ClientSocket.ReceiveAsync(_reader, _sender.IsClosing);
                if (type is WebSocketMessageType.Close)
                {
                    return;
                }

                await OnMessageAsync(type);
            }
#pragma warning disable CA1031 // HandleExceptionAsync handles each kind of exception.
            catch (Exception problem)
#pragma warning restore CA1031
            {
                canRead = await _end.HandleExceptionAsync(
                    problem is FoxgloveMessageException
                        ? new RequestRefusedException(StatusCode.InvalidArgument, problem.Message) : problem,
                    StatusCode.Internal);
            }
        }
    }

    private async Task OnMessageAsync(WebSocketMessageType? type)
    {
        if (type is null)
        {
            throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.TooLongMessage(LongestMessage));
        }

        // Messages that the client sent before it got the close are ignored.
        if (_sender.IsClosing)
        {
            return;
        }

        await _services.Admission.MessageRate.WaitAsync(_address, _end.Ended);
        if (_limits.CountMessage() > 0)
        {
            throw new RequestRefusedException(StatusCode.ResourceExhausted, $"You exceeded {ClientLimits.LimitText}: send fewer messages.");
        }

        await HandleAsync(type == WebSocketMessageType.Text
            ? ClientMessage.ParseText(_reader.Message) : ClientMessage.ParseBinary(_reader.Message.Span));
    }

    private async Task HandleAsync(ClientMessage message)
    {
        switch (message)
        {
            case ClientMessage.Subscribe subscribe:
                foreach (var (id, channel) in subscribe.Subscriptions)
                {
                    await _end.RunGuardedAsync(() => SubscribeAsync(id, channel));
                }

                break;
            case ClientMessage.Unsubscribe unsubscribe:
                _channels?.Unsubscribe(unsubscribe.Ids);
                break;
            case ClientMessage.PlaybackControl control:
                await (_playback?.ControlAsync(control) ?? _sender.SendErrorAsync(
                    "this client cannot control a playback: the match is not played from a recording, or the token does not allow it"));
                break;
            case ClientMessage.Other other:
                await _sender.SendErrorAsync($"this bridge does not offer {ClientWriter.ToOneLine(other.Description)}");
                break;
        }
    }

    private async Task SubscribeAsync(uint id, ulong channelId)
    {
        if (_channels is not { } channels)
        {
            await _sender.SendErrorAsync($"channel {channelId} does not exist: wait for the list of channels");
        }
        else if (await channels.SubscribeAsync(id, channelId, _end.Ended) is { } feed)
        {
            _running.Add(_end.RunGuardedAsync(() => RunFeedAsync(feed, null)));
        }
    }

    private Task SendJumpAsync(PlaybackState state) => _playback?.SendStateAsync(state, didSeek: true) ?? Task.CompletedTask;

    private async Task RunFeedAsync(FoxgloveFeed feed, FirstFeedCallbacks? callbacks)
    {
        using var done = CancellationTokenSource.CreateLinkedTokenSource(_end.Ended);
        var watching = UnreadWatch.DisconnectUnreadAsync(_sender, feed.Subscription, _services.UnreadTimeout, _services.Logger, done.Token);
        try
        {
            if (await feed.RunAsync(callbacks, _end.Ended) is { } last)
            {
                feed.Subscription.Dispose();
                await EndAsync(last);
            }
        }
        finally
        {
            await done.CancelAsync();
            await watching;
        }
    }

    private async Task EndAsync(PlayResponse last)
    {
        if (last.Error is not null)
        {
            await _sender.FailAsync(last, SessionLimits.CloseTimeout);
            return;
        }

        await (_playback?.SendEndAsync(last.MatchEnd?.GameLoop ?? 0) ?? Task.CompletedTask);
        await _sender.CloseAsync("The match has ended.", _services.UnreadTimeout);
    }
}
