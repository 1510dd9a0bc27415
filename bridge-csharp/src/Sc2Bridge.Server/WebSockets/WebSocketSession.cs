using System.Net.WebSockets;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Socket = System.Net.WebSockets.WebSocket;

namespace Sc2Bridge.Server;

/// <summary>
/// One client from its first message to the close: a task that reads what it says, and from its subscription on one that
/// writes frames.
/// </summary>
internal sealed class WebSocketSession : IDisposable
{
    // gRPC's INTERNAL: what the game sent is no message.
    private const uint Internal = 13;

    private readonly Socket _socket;
    private readonly Hub _hub;
    private readonly SharedCompression _shared;
    private readonly SubProtocol _form;
    private readonly bool _deflates;
    private readonly WebSocketTransportOptions _options;
    private readonly ClientLimits _allowance;
    private readonly MessageSender _sender;
    private readonly MessageReceiver _receiver;
    private readonly SessionCloser _goodbye;
    private readonly AgentRequests _requests;
    private readonly CancellationTokenSource _ended = new();
    private Streaming.Subscription? _subscription;
    private FrameMessages? _messages;
    private string _key = "";
    private Task _delivering = Task.CompletedTask;

    /// <summary>Takes a client on.</summary>
    public WebSocketSession(
        Socket socket,
        Hub hub,
        SharedCompression shared,
        SubProtocol form,
        bool deflates,
        SendBacklog? link,
        ClientLimits allowance,
        WebSocketTransportOptions options)
    {
        _socket = socket;
        _hub = hub;
        _shared = shared;
        _form = form;
        _deflates = deflates;
        _allowance = allowance;
        _options = options;
        _sender = new MessageSender(socket, form, link);
        _receiver = new MessageReceiver(socket, options.LongestMessage);
        _goodbye = new SessionCloser(socket, _sender, options);
        _requests = new AgentRequests(hub, _sender, options.MostRequests, _ended.Token);
    }

    /// <summary>Serves the client until either side has closed.</summary>
    /// <param name="stopping">The bridge stops: the client is told, and closed.</param>
    /// <param name="gone">The connection was lost.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken gone)
    {
        using var onGone = gone.UnsafeRegister(static socket => ((Socket)socket!).Abort(), _socket);
        using var onStop = stopping.UnsafeRegister(
            static goodbye => _ = ((SessionCloser)goodbye!).FailAsync(StatusCode.Unavailable, "The bridge is stopping."),
            _goodbye);
        try
        {
            await ReadAsync();
        }
        catch (Exception ending) when (IsEnding(ending))
        {
            // Gone without a word, or cut off by us.
        }
        finally
        {
            await EndAsync();
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _sender.Dispose();
        _receiver.Dispose();
        _requests.Dispose();
        _ended.Dispose();
    }

    /// <summary>Whether the connection ended, whoever ended it: nothing to report.</summary>
    internal static bool IsEnding(Exception exception) =>
        exception is WebSocketException or OperationCanceledException or ObjectDisposedException or IOException
            or Microsoft.AspNetCore.Connections.ConnectionAbortedException
            or Microsoft.AspNetCore.Connections.ConnectionResetException;

    // What is written must end before the socket goes; a client that does not read cannot hold that up for long.
    private async Task EndAsync()
    {
        await _ended.CancelAsync();
        _subscription?.Dispose();
        var closing = _goodbye.CloseAsync(WebSocketCloseStatus.NormalClosure, "", _options.CloseTimeout);
        await _delivering;
        _messages?.Dispose();
        await _requests.CompleteAsync();
        await closing;
    }

    private async Task ReadAsync()
    {
        while (true)
        {
            var kind = await _receiver.ReceiveAsync();
            if (kind is WebSocketMessageType.Close)
            {
                return;
            }

            if (kind is null)
            {
                var tooLong = $"A message may have {_options.LongestMessage} bytes at most.";
                var closing = _goodbye.CloseAsync(WebSocketCloseStatus.MessageTooBig, tooLong, _options.CloseTimeout);
                _subscription?.Drop(StatusCode.InvalidArgument, tooLong);
                await closing;
            }

            // What was said before the client heard of the close counts no more.
            if (_sender.IsClosing)
            {
                await _receiver.SkipToCloseAsync();
                return;
            }

            if (kind != _form.MessageType)
            {
                await RefuseAsync(
                    StatusCode.InvalidArgument,
                    $"{_form.Name} takes {(_form.MessageType == WebSocketMessageType.Text ? "text" : "binary")} messages only.");
                continue;
            }

            try
            {
                Admit();
                await HandleAsync(_form.Read(_receiver.Message));
            }
            catch (EncodingException malformed)
            {
                await RefuseAsync(StatusCode.InvalidArgument, malformed.Message);
            }
            catch (RequestRefusedException refused)
            {
                await RefuseAsync(refused.Code, refused.Message);
            }
        }
    }

    private void Admit()
    {
        if (_subscription is not null)
        {
            _subscription.Admit();
        }
        else if (_allowance.Take() > 0)
        {
            throw new RequestRefusedException(
                StatusCode.ResourceExhausted,
                $"{ClientLimits.TooMuch}, came before a subscribe: ask about many places or units in one query.");
        }
    }

    private async ValueTask HandleAsync(AgentMessage message)
    {
        switch (message.MessageCase)
        {
            case AgentMessage.MessageOneofCase.Acknowledge:
                Subscribed("acknowledge").Acknowledge(message.Acknowledge);
                break;
            case AgentMessage.MessageOneofCase.Actions:
                Subscribed("act upon").Act(message.Actions);
                break;
            case AgentMessage.MessageOneofCase.Clock:
                var agentNs = message.Clock.AgentNs;
                await _sender.SendAsync(
                    () => new Event { Clock = new Clock { AgentNs = agentNs, BridgeNs = MonotonicClock.NowNs } });
                break;
            case AgentMessage.MessageOneofCase.Subscribe:
                Subscribe(message.Subscribe);
                break;
            case AgentMessage.MessageOneofCase.Describe:
                message.Describe.Key = KeyOr(message.Describe.Key);
                await _requests.DescribeAsync(message.Describe);
                break;
            case AgentMessage.MessageOneofCase.Request:
                message.Request.Key = KeyOr(message.Request.Key);
                await _requests.RequestAsync(message.Request, _subscription?.Name ?? "");
                break;
            case AgentMessage.MessageOneofCase.Control:
                await _requests.ControlAsync(message.Control);
                break;
            default:
                throw new RequestRefusedException(
                    StatusCode.InvalidArgument,
                    "The message says nothing: set one of subscribe, acknowledge, clock, describe, request, control, "
                    + "actions.");
        }
    }

    private Streaming.Subscription Subscribed(string to) => _subscription ?? throw new RequestRefusedException(
        StatusCode.FailedPrecondition, $"There is nothing to {to} before a subscribe.");

    // Whoever has subscribed need not show its key again.
    private string KeyOr(string shown) => shown.Length > 0 ? shown : _key;

    private void Subscribe(V1.SubscribeRequest request)
    {
        if (_subscription is not null)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "This connection has a subscription already; open another connection for another one.");
        }

        // Text takes milliseconds to make and deflate to write: neither is to happen on the publisher's thread.
        var messages = FrameMessages.For(request, _form.Form, _shared);
        try
        {
            var isDirect = messages.IsDirect && (!_deflates || messages.IsCompressed);
            _subscription = _hub.Subscribe(
                request, new SubscriberInfo(_form.Transport, isDirect, Offered: messages.Offered));
        }
        catch
        {
            messages.Dispose();
            throw;
        }

        _messages = messages;
        _key = request.Key;
        _delivering = DeliverAsync(_subscription, messages, _requests.Descriptions);
    }

    private async Task DeliverAsync(Streaming.Subscription subscription, FrameMessages messages, Task descriptions)
    {
        // Not on the reading task's stack: a queue that is full already would keep it from reading.
        await Task.Yield();
        try
        {
            // Whoever asks for the description first gets it before the first frame; both wait for the same match.
            await descriptions;
            while (true)
            {
                if (subscription.Policy == Policy.Latest)
                {
                    await subscription.ReadyAsync(_ended.Token);
                    await _sender.ClearAsync(_ended.Token);
                }

                var delivery = await subscription.ReadAsync(_ended.Token);
                try
                {
                    if (delivery.Frame is { } frame)
                    {
                        await _sender.SendAsync(await messages.OfAsync(frame), messages.IsCompressed);
                    }
                    else if (delivery.IsLast)
                    {
                        messages.Dispose();
                        await CloseAfterAsync(delivery.Event!);
                    }
                    else
                    {
                        var said = delivery.Event!;
                        await _sender.SendAsync(() => said);
                    }
                }
                finally
                {
                    delivery.Release();
                }

                if (delivery.IsLast)
                {
                    return;
                }
            }
        }
        catch (Exception ending) when (IsEnding(ending))
        {
            // The reading task sees it too, and ends the session; where only the writing failed, it has to be told.
            if (ending is not OperationCanceledException)
            {
                _socket.Abort();
            }
        }
#pragma warning disable CA1031 // Whatever it is: a client that waits for frames must hear that there are no more.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            await _goodbye.FailAsync(
                Internal,
                problem is EncodingException
                    ? problem.Message
                    : $"The bridge failed: {problem.Message}");
        }
    }

    // Frames may still wait in the socket's buffers, and cutting the connection would lose them: the client has the time
    // of a long think.
    private async Task CloseAfterAsync(Event last)
    {
        if (last.EventCase == Event.EventOneofCase.Error)
        {
            await _goodbye.FailAsync(last, _options.KeepAliveTimeout);
            return;
        }

        await _sender.SendAsync(() => last);
        await CloseGracePeriod.HearAsync(_subscription!, Task.Delay(Timeout.Infinite, _ended.Token), _ended.Token);
        await _goodbye.CloseAsync(WebSocketCloseStatus.NormalClosure, "The match has ended.", _options.KeepAliveTimeout);
    }

    // What the client sent ends it. The close comes first: the subscription's end gives a client more time for its own.
    private Task RefuseAsync(uint code, string message)
    {
        var closing = _goodbye.FailAsync(code, message);
        _subscription?.Drop(code, SessionCloser.OneLine(message));
        return closing;
    }
}
