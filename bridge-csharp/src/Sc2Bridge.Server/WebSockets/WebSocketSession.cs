using System.Net;
using System.Net.WebSockets;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.SharedMemory;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>What all sessions share.</summary>
/// <param name="Hub">What agents subscribe to.</param>
/// <param name="Calls">Answers calls.</param>
/// <param name="Shared">What compressing subscribers of all transports share.</param>
/// <param name="Admission">Says who may subscribe, and how much may be said.</param>
/// <param name="UnreadTimeout">How long a client may leave a message unread after its subscription has ended.</param>
/// <param name="Logger">Where defects are logged.</param>
internal sealed record SessionServices(
    Hub Hub, BridgeCalls Calls, SharedCompression Shared, ConnectionAdmission Admission, TimeSpan UnreadTimeout, ILogger Logger);

/// <summary>Who is served.</summary>
/// <param name="Identity">What it may do.</param>
/// <param name="Address">Where it is; null on a Unix socket.</param>
/// <param name="Port">Its port.</param>
/// <param name="Link">What was not sent to it yet; null where that is unknown.</param>
/// <param name="Memory">The memory that it shares with the bridge; null: none.</param>
internal sealed record SessionClient(
    Identity Identity, IPAddress? Address, int Port, SendBacklog? Link, SharedWindow? Memory = null)
{
    /// <summary>Who made a request.</summary>
    public static SessionClient Of(HttpContext http) => new(
        Authentication.IdentityOf(http), http.Connection.RemoteIpAddress, http.Connection.RemotePort, http.Features.Get<SendBacklog>());
}

/// <summary>
/// One client from its first message to the close: a task that reads what it says, and from its subscription on a
/// <see cref="WebSocketSubscriber"/> that writes frames.
/// </summary>
internal sealed class WebSocketSession : IDisposable
{
    private readonly WebSocket _socket;
    private readonly SubProtocol _form;
    private readonly bool _deflates;
    private readonly SessionServices _services;
    private readonly SessionClient _client;
    private readonly ClientLimits _limits;
    private readonly WebSocketMessageWriter _sender;
    private readonly UnfinishedMessage _unfinished;
    private readonly WebSocketMessageReader _reader;
    private readonly SessionCloser _closer;
    private readonly PendingAnswers _answers;
    private readonly CancellationTokenSource _heard = new();
    private readonly CancellationTokenSource _ended = new();
    private CancellationToken _closing;
    private IDisposable? _place;
    private Subscription? _subscription;
    private FrameMessages? _messages;
    private Task _delivering = Task.CompletedTask;

    /// <summary>A session for a client.</summary>
    /// <param name="socket">Its owner disposes it.</param>
    /// <param name="form">How messages travel on it.</param>
    /// <param name="deflates">Whether permessage-deflate was agreed upon.</param>
    /// <param name="client">It.</param>
    /// <param name="services">What all sessions share.</param>
    public WebSocketSession(
        WebSocket socket, SubProtocol form, bool deflates, SessionClient client, SessionServices services)
    {
        _socket = socket;
        _form = form;
        _deflates = deflates;
        _services = services;
        _client = client;
        _limits = new ClientLimits(services.Hub, client.Address, client.Port);
        _sender = new WebSocketMessageWriter(socket, form, client.Link);
        _unfinished = services.Admission.Unfinished.Of(() => _ = CutUnfinishedAsync());
        _reader = new WebSocketMessageReader(
            socket, WebSocketLimits.LongestMessage, _unfinished.Resize);
        _closer = new SessionCloser(socket, _sender);
        _answers = new PendingAnswers(services.Calls, client.Identity, _sender, services.Logger, _ended.Token);
    }

    /// <summary>Serves the client until either side has closed.</summary>
    /// <param name="stopping">The bridge stops: the client gets an error, and is closed.</param>
    /// <param name="gone">The connection was lost.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken gone)
    {
        using var onGone = gone.UnsafeRegister(static socket => ((WebSocket)socket!).Abort(), _socket);
        using var onStop = stopping.UnsafeRegister(
            static closer => _ = ((SessionCloser)closer!).FailAsync(StatusCode.Unavailable, "The bridge is stopping."),
            _closer);
        using var closing = CancellationTokenSource.CreateLinkedTokenSource(stopping, gone);
        _closing = closing.Token;
        try
        {
            _ = CutSilentAsync(_heard.Token);
            await ReadAsync();
        }
        catch (Exception ending) when (WebSocketEnd.Is(ending))
        {
            // The client went without a close, or the connection was aborted here.
        }
        finally
        {
            await EndAsync();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _unfinished.Dispose();
        _sender.Dispose();
        _answers.Dispose();
        _heard.Dispose();
        _ended.Dispose();
    }

    // What is written must end before the socket goes; a client that does not read cannot hold that up for long.
    private async Task EndAsync()
    {
        await _heard.CancelAsync();
        await _ended.CancelAsync();
        _subscription?.Dispose();
        _place?.Dispose();
        var closing = _closer.CloseAsync(WebSocketCloseStatus.NormalClosure, "", WebSocketLimits.CloseTimeout);
        await _delivering;
        _messages?.Dispose();
        await _answers.CompleteAsync();
        await closing;
    }

    private async Task ReadAsync()
    {
        while (true)
        {
            var kind = await _reader.ReadAsync(CancellationToken.None);
            await _heard.CancelAsync();
            if (kind is WebSocketMessageType.Close)
            {
                return;
            }

            if (kind is null && _reader.Message.Length <= WebSocketLimits.LongestMessage)
            {
                await RefuseAsync(StatusCode.ResourceExhausted, _services.Admission.Unfinished.Refusal);
            }
            else if (kind is null)
            {
                var tooLong = $"A message may have {WebSocketLimits.LongestMessage} bytes at most.";
                var closing = _closer.CloseAsync(WebSocketCloseStatus.MessageTooBig, tooLong, WebSocketLimits.CloseTimeout);
                _subscription?.Drop(StatusCode.InvalidArgument, tooLong);
                await closing;
            }

            // Messages sent before the client got the close are ignored.
            if (_sender.IsClosing)
            {
                await _reader.SkipToCloseAsync(CancellationToken.None);
                return;
            }

            if (kind != _form.MessageType)
            {
                await RefuseAsync(
                    StatusCode.InvalidArgument,
                    $"{_form.Name} takes {(_form.MessageType == WebSocketMessageType.Text ? "text" : "binary")} messages only.");
                continue;
            }

            var requestId = 0u;
            try
            {
                await _services.Admission.ReadMessageAsync(_client.Address, CancellationToken.None);
                Admit();
                var message = _form.Read(_reader.Message.Span);
                requestId = message.RequestId;
                await HandleAsync(message);
            }
            catch (EncodingException malformed)
            {
                await RefuseAsync(StatusCode.InvalidArgument, malformed.Message);
            }
            catch (RequestRefusedException refused)
            {
                await RefuseAsync(refused.Code, refused.Message, requestId);
            }
        }
    }

    private async Task CutSilentAsync(CancellationToken heard)
    {
        var patience = _services.Admission.Limits.IdleTimeout;
        await Task.Delay(patience, heard).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!heard.IsCancellationRequested)
        {
            await _closer.FailAsync(
                StatusCode.DeadlineExceeded, $"No first message came within {patience.TotalSeconds} s: say what you want, and stay.");
        }
    }

    private void Admit()
    {
        if (_subscription is not null)
        {
            _subscription.Admit();
        }
        else if (_limits.Take() > 0)
        {
            throw new RequestRefusedException(
                StatusCode.ResourceExhausted,
                $"{ClientLimits.TooMuch}, came before a subscribe: ask about many places or units in one query.");
        }
    }

    private async ValueTask HandleAsync(PlayRequest message)
    {
        switch (message.MessageCase)
        {
            case PlayRequest.MessageOneofCase.Acknowledge:
                Subscribed("acknowledge").Acknowledge(message.Acknowledge);
                break;
            case PlayRequest.MessageOneofCase.Actions:
                Subscribed("act upon").Act(message.Actions);
                break;
            case PlayRequest.MessageOneofCase.Clock:
                var agentNs = message.Clock.AgentNs;
                await _sender.SendAsync(
                    () => new PlayResponse { Clock = new Clock { AgentNs = agentNs, BridgeNs = MonotonicClock.NowNs } });
                break;
            case PlayRequest.MessageOneofCase.Subscribe:
                await SubscribeAsync(message.Subscribe, message.RequestId);
                break;
            case PlayRequest.MessageOneofCase.Hello:
                await SendAsync(new PlayResponse { RequestId = message.RequestId, Hello = _services.Calls.Hello(message.Hello) });
                break;
            case PlayRequest.MessageOneofCase.Describe or PlayRequest.MessageOneofCase.CallGame
                or PlayRequest.MessageOneofCase.Control or PlayRequest.MessageOneofCase.Status:
                await _answers.AddAsync(message, _subscription);
                break;
            case PlayRequest.MessageOneofCase.SharedProgress when _client.Memory is { } memory:
                if (memory.Take(message.SharedProgress) is { } problem)
                {
                    throw new RequestRefusedException(StatusCode.InvalidArgument, problem);
                }

                break;
            default:
                throw new RequestRefusedException(
                    StatusCode.InvalidArgument,
                    "The message is empty: set one of hello, subscribe, acknowledge, clock, actions, describe, call_game, control, "
                    + "status.");
        }
    }

    private Subscription Subscribed(string to) => _subscription ?? throw new RequestRefusedException(
        StatusCode.FailedPrecondition, $"There is nothing to {to} before a subscribe.");

    private async Task SubscribeAsync(SubscribeRequest request, uint requestId)
    {
        if (_subscription is not null)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "This connection has a subscription already; open another connection for another one.");
        }

        _services.Hub.Permit(request, _client.Identity);
        try
        {
            _place = await _services.Admission.TakePlaceAsync(_client.Address, _closing);
        }
        catch (OperationCanceledException)
        {
            // What is read next says why.
            return;
        }

        // Making text and deflating take milliseconds: keep both off the publisher's thread.
        var messages = FrameMessages.For(request, _form.Form, _services.Shared, _client.Memory);
        try
        {
            var isDirect = messages.IsDirect && (!_deflates || messages.IsCompressed);
            _subscription = _services.Hub.Subscribe(
                request,
                new SubscriberInfo(_form.Transport, isDirect, OnOffered: messages.OnOffered,
                    TransportBytes: BridgeServer.SubscriberBytes, Identity: _client.Identity));
        }
        catch
        {
            messages.Dispose();
            throw;
        }

        _messages = messages;
        if (_client.Memory is { } memory)
        {
            memory.Follow(_subscription.Policy);
            memory.Full = () => _ = SendAsync(new PlayResponse
            {
                Error = new Error
                {
                    Code = StatusCode.ResourceExhausted,
                    Message = $"This agent keeps {SharedWindow.MostHeld} frames of shared memory: what it gets from now on is copied to it "
                        + "while it does. Copy the arrays that you keep.",
                },
            });
        }

        var delivery = new WebSocketSubscriber(
            _subscription, messages, _sender, _closer, _socket, _client.Memory, _services);

        _ = _sender.WatchAsync(_subscription, _services.UnreadTimeout, _services.Logger, _ended.Token);
        await SendAsync(_subscription.Answer(requestId));

        // Not on the reading task's stack: a queue that is full already would keep it from reading.
        _delivering = CrowdScheduler.ServeAsync(
            _subscription, () => delivery.RunAsync(_answers.Descriptions, _ended.Token));
    }

    private async Task SendAsync(PlayResponse notice)
    {
        try
        {
            await _sender.SendAsync(() => notice);
        }
        catch (Exception ending) when (WebSocketEnd.Is(ending))
        {
            // The reading task sees it too.
        }
    }

    // Its message is held no longer than it takes to say so.
    private async Task CutUnfinishedAsync()
    {
        _ = RefuseAsync(StatusCode.ResourceExhausted, _services.Admission.Unfinished.Refusal);
        await Task.Delay(WebSocketLimits.CutTimeout, CancellationToken.None);
        _socket.Abort();
    }

    // What the client sent ends it. The close comes first: the subscription's end gives a client more time for its own.
    private Task RefuseAsync(uint code, string message, uint requestId = 0)
    {
        var closing = _closer.FailAsync(code, message, requestId);
        _subscription?.Drop(code, SessionCloser.OneLine(message));
        return closing;
    }
}
