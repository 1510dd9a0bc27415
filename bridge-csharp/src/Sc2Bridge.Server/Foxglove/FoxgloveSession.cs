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
/// One client that speaks Foxglove's protocol, from its connection to the end of a match: it waits for the match that runs
/// or comes next, is told of its channels, and gets those that it subscribes.
/// </summary>
internal sealed class FoxgloveSession : IDisposable
{
    // Of a client's message: a subscription takes some 30.
    private const int LongestMessage = 64 << 10;

    private readonly WebSocket _socket;
    private readonly SessionServices _services;
    private readonly Identity _identity;
    private readonly IPAddress? _address;
    private readonly ClientLimits _limits;
    private readonly FoxgloveSocket _sender;
    private readonly UnfinishedMessage _unfinished;
    private readonly WebSocketMessageReader _reader;
    private readonly SessionEnd _end;
    private readonly RunningTasks _running = new();
    private IDisposable? _place;
    private volatile FoxgloveChannels? _channels;
    private volatile FoxglovePlayback? _playback;

    /// <summary>A session for a client, whose socket its owner disposes.</summary>
    public FoxgloveSession(WebSocket socket, HttpContext http, SessionServices services)
    {
        (_socket, _services) = (socket, services);
        _identity = Authentication.IdentityOf(http);
        _address = http.Connection.RemoteIpAddress;
        _limits = new ClientLimits(services.Hub, http.Connection.RemoteIpAddress, http.Connection.RemotePort);
        _sender = new FoxgloveSocket(socket, http.Features.Get<SendBacklog>());
        _end = new SessionEnd(_sender, "ws.foxglove", services.Logger);
        _unfinished = services.Admission.Unfinished.Of(socket.Abort);
        _reader = new WebSocketMessageReader(socket, LongestMessage, _unfinished.Resize);
    }

    /// <summary>The sub-protocol of today's Foxglove.</summary>
    public const string Sdk = "foxglove.sdk.v1";

    /// <summary>The one before it, which has the same messages but those of playback.</summary>
    public const string WebSocketV1 = "foxglove.websocket.v1";

    /// <summary>Serves the client until either side has closed.</summary>
    /// <param name="stopping">The bridge stops.</param>
    /// <param name="gone">The connection was lost.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken gone)
    {
        using var onGone = gone.UnsafeRegister(static end => ((SessionEnd)end!).Abort(), _end);
        using var onStop = stopping.UnsafeRegister(static end => _ = ((SessionEnd)end!).StopAsync(), _end);
        var serving = _end.GuardAsync(ServeAsync);
        await ReadAsync();
        await _end.FinishAsync();
        var closing = _sender.CloseAsync("", SessionLimits.CloseTimeout);
        await serving;
        await _running.EndAsync();
        await closing;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _channels?.Dispose();
        _place?.Dispose();
        _unfinished.Dispose();
        _sender.Dispose();
        _end.Dispose();
    }

    private async Task ServeAsync()
    {
        // One that waits for a match says nothing, and counts.
        _place = await _services.Admission.TakePlaceAsync(_address, _end.Over);
        var match = new FoxgloveMatch(
            await _services.Hub.CurrentMatch.DescribeAsync(new DescribeRequest(), _identity, _end.Over), _identity);
        var description = match.Description;
        var playback = new FoxglovePlayback(
            _services.Hub.CurrentMatch, description.MatchId, _identity, _sender, knowsState: _socket.SubProtocol == Sdk);
        var state = match.IsPlayback && _identity.Roles.HasFlag(Roles.Control) ? playback.Read() : null;
        var metadata = new Dictionary<string, string> { ["map"] = description.MapName, ["match"] = description.MatchId };
        foreach (var player in description.Players)
        {
            metadata[$"player {player.PlayerId}"] = $"{player.Name} {player.Race.Words()}".Trim();
        }

        await _sender.SendTextAsync(ServerMessage.Info(
            description.MatchId, metadata,
            state is null ? null : (GameTime.OfLoop(state.FirstGameLoop), GameTime.OfLoop(state.LastGameLoop))));

        // It counts as a subscriber from here on, whatever channels it will want; and so it hears of the match's end.
        var channels = new FoxgloveChannels(
            match, _services, _identity, _address, _sender, () => _playback?.Read()?.GameLoop ?? 0);
        _channels = channels;
        if (state is not null)
        {
            _playback = playback;
            _running.Add(_end.GuardAsync(() => playback.WatchAsync(_end.Over)));
        }

        _running.Add(_end.GuardAsync(() => channels.Rows.RunAsync(_end.Over)));
        await _sender.SendTextAsync(ServerMessage.Advertise(match.Topics));
        await FollowAsync(channels.First, new FoxgloveLead(JumpAsync, () => channels.ShowAgainAsync(_end.Over)));
    }

    private async Task ReadAsync()
    {
        var canRead = true;
        while (canRead)
        {
            try
            {
                var kind = await ClientSocket.ReceiveAsync(_reader, _sender.IsClosing);
                if (kind is WebSocketMessageType.Close)
                {
                    return;
                }

                await HeardAsync(kind);
            }
#pragma warning disable CA1031 // One place distinguishes its kinds.
            catch (Exception problem)
#pragma warning restore CA1031
            {
                canRead = await _end.MapAsync(
                    problem is FoxgloveMessageException
                        ? new RequestRefusedException(StatusCode.InvalidArgument, problem.Message) : problem,
                    StatusCode.Internal);
            }
        }
    }

    private async Task HeardAsync(WebSocketMessageType? kind)
    {
        if (kind is null)
        {
            throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.TooLong(LongestMessage));
        }

        // Messages sent before the client got the close are ignored.
        if (_sender.IsClosing)
        {
            return;
        }

        await _services.Admission.Messages.WaitAsync(_address, _end.Over);
        if (_limits.Take() > 0)
        {
            throw new RequestRefusedException(StatusCode.ResourceExhausted, $"{ClientLimits.TooMuch}, came.");
        }

        await HandleAsync(kind == WebSocketMessageType.Text
            ? ClientMessage.ParseText(_reader.Message) : ClientMessage.ParseBinary(_reader.Message.Span));
    }

    private async Task HandleAsync(ClientMessage message)
    {
        switch (message)
        {
            case ClientMessage.Subscribe subscribe:
                foreach (var (id, channel) in subscribe.Subscriptions)
                {
                    await _end.GuardAsync(() => SubscribeAsync(id, channel));
                }

                break;
            case ClientMessage.Unsubscribe unsubscribe:
                _channels?.Unsubscribe(unsubscribe.Ids);
                break;
            case ClientMessage.PlaybackControl control:
                await (_playback?.ControlAsync(control) ?? _sender.WarnAsync(
                    "this client can control no playback: the match is not played from a recording, or its token does not let it"));
                break;
            case ClientMessage.Other other:
                await _sender.WarnAsync($"this bridge does not offer {ClientWriter.OneLine(other.What)}");
                break;
        }
    }

    private async Task SubscribeAsync(uint id, ulong number)
    {
        if (_channels is not { } channels)
        {
            await _sender.WarnAsync($"there is no channel {number}");
        }
        else if (await channels.SubscribeAsync(id, number, _end.Over) is { } feed)
        {
            _running.Add(_end.GuardAsync(() => FollowAsync(feed, null)));
        }
    }

    private Task JumpAsync(PlaybackState state) => _playback?.TellAsync(state, didSeek: true) ?? Task.CompletedTask;

    private async Task FollowAsync(FoxgloveFeed feed, FoxgloveLead? lead)
    {
        using var done = CancellationTokenSource.CreateLinkedTokenSource(_end.Over);
        var watching = UnreadWatch.CutAsync(_sender, feed.Subscription, _services.UnreadTimeout, _services.Logger, done.Token);
        try
        {
            if (await feed.RunAsync(lead, _end.Over) is { } last)
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

        await (_playback?.TellEndAsync(last.MatchEnd?.GameLoop ?? 0) ?? Task.CompletedTask);
        await _sender.CloseAsync("The match has ended.", _services.UnreadTimeout);
    }
}
