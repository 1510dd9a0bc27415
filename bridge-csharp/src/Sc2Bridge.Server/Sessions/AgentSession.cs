using Sc2Bridge.Admission;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Kind = Sc2Bridge.V1.PlayRequest.MessageOneofCase;

namespace Sc2Bridge.Server;

/// <summary>
/// One client on any transport, from its first message to the close: one loop that reads, and from its subscription on one that
/// writes frames (<see cref="FrameLoop"/>). The owner of its channel disposes that.
/// </summary>
internal sealed class AgentSession : IDisposable
{
    private readonly IMessageChannel _channel;
    private readonly SessionServices _services;
    private readonly SessionClient _client;
    private readonly SessionWriter _writer;
    private readonly SessionEnd _end;
    private readonly UnfinishedMessage _unfinished;
    private readonly Func<long, bool> _mayHold;
    private readonly PendingAnswers _answers;
    private readonly CancellationTokenSource _heard = new();
    private readonly CancellationTokenSource _left = new();
    private IDisposable? _place;
    private FrameMessages? _messages;
    private Task _writing = Task.CompletedTask;

    public AgentSession(IMessageChannel channel, SessionClient client, SessionServices services)
    {
        (_channel, _client, _services) = (channel, client, services);
        _writer = new SessionWriter(channel);
        _end = new SessionEnd(_writer, channel.Transport, services.Logger);
        var unfinished = services.Admission.Unfinished;
        _unfinished = unfinished.Of(
            () => _ = _end.RefuseAsync(StatusCode.ResourceExhausted, unfinished.Refusal, patience: SessionLimits.CutTimeout));
        _mayHold = _unfinished.Resize;
        _answers = new PendingAnswers(
            services.Calls, new HeldRequests(services.Hub.Memory), client.Identity, answer => _end.GuardAsync(() => _writer.SendAsync(answer)), services.Logger, _end.Over);
    }

    /// <summary>Serves the client until both sides have ended.</summary>
    /// <param name="stopping">The bridge stops: the client gets an error, and is closed.</param>
    /// <param name="gone">The connection was lost.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken gone)
    {
        using var onGone = gone.UnsafeRegister(static end => ((SessionEnd)end!).Abort(), _end);
        using var onStop = stopping.UnsafeRegister(static end => _ = ((SessionEnd)end!).StopAsync(), _end);
        _ = CutSilentAsync(_heard.Token);
        try
        {
            if (await ReadAsync())
            {
                await _writing;
                await _answers.CompleteAsync();
            }
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
        _writer.Dispose();
        _answers.Dispose();
        _heard.Dispose();
        _left.Dispose();
        _end.Dispose();
    }

    // A write must end before the channel goes; a client that does not read cannot hold that up for long.
    private async Task EndAsync()
    {
        await _heard.CancelAsync();
        await _end.FinishAsync();
        _end.Subscription?.Dispose();
        _place?.Dispose();
        var closing = _writer.CloseAsync("", SessionLimits.CloseTimeout);
        await _writing;
        _messages?.Dispose();
        await _answers.CompleteAsync();
        await closing;
    }

    // True if the client has only ended its side, and still reads.
    private async Task<bool> ReadAsync()
    {
        var canRead = true;
        PlayRequest? message;
        do
        {
            var requestId = 0u;
            try
            {
                message = await _channel.ReadAsync(_mayHold);
                if (message is not null)
                {
                    requestId = message.RequestId;
                    await HeardAsync(message);
                }
            }
#pragma warning disable CA1031 // One place distinguishes its kinds.
            catch (Exception problem)
#pragma warning restore CA1031
            {
                canRead = await _end.MapAsync(problem, StatusCode.InvalidArgument, requestId);
                continue;
            }

            if (message is null)
            {
                break;
            }
        }
        while (canRead);

        var readsOn = canRead && _channel.IsCall && !_writer.IsClosing;
        if (readsOn)
        {
            _end.Subscription?.EndAnswers();
            if (!_heard.IsCancellationRequested)
            {
                await _end.RefuseAsync(StatusCode.InvalidArgument, "No message came: subscribe, and stay.");
            }
        }

        await _left.CancelAsync();
        return readsOn;
    }

    private async ValueTask HeardAsync(PlayRequest message)
    {
        if (!_heard.IsCancellationRequested)
        {
            await _heard.CancelAsync();
        }

        // Messages sent before the client got the close are ignored.
        if (!_writer.IsClosing)
        {
            await _services.Admission.ReadMessageAsync(_client.Address, _end.Over);
            if (_end.Subscription is { } subscription)
            {
                subscription.Admit();
            }
            else
            {
                _client.Admit();
            }

            await HandleAsync(message);
        }
    }

    private async ValueTask HandleAsync(PlayRequest message)
    {
        switch (message.MessageCase)
        {
            case Kind.Acknowledge:
                Subscribed("acknowledge").Acknowledge(message.Acknowledge);
                break;
            case Kind.Actions:
                Subscribed("act on").Act(message.Actions);
                break;
            case Kind.Clock:
                await _writer.SendAsync(new PlayResponse { RequestId = message.RequestId, Clock = new Clock { AgentNs = message.Clock.AgentNs } });
                break;
            case Kind.Subscribe:
                await SubscribeAsync(message.Subscribe, message.RequestId);
                break;
            case Kind.Hello:
                await _writer.SendAsync(
                    new PlayResponse { RequestId = message.RequestId, Hello = _services.Calls.Hello(message.Hello) });
                break;
            case Kind.Describe or Kind.CallGame or Kind.Control or Kind.Status:
                await _answers.AddAsync(message, _end.Subscription);
                break;
            case Kind.SharedProgress when _client.Memory is { } memory:
                if (memory.Take(message.SharedProgress) is { } problem)
                {
                    throw new RequestRefusedException(StatusCode.InvalidArgument, problem);
                }

                break;
            default:
                throw new RequestRefusedException(
                    StatusCode.InvalidArgument,
                    "The message is empty, or of a kind that this bridge does not know: set one of hello, subscribe, acknowledge, "
                    + "clock, actions, describe, call_game, control, status.");
        }
    }

    private Subscription Subscribed(string to) => _end.Subscription ?? throw new RequestRefusedException(
        StatusCode.FailedPrecondition, $"There is nothing to {to} before a subscribe.");

    private async Task SubscribeAsync(SubscribeRequest request, uint requestId)
    {
        if (_end.Subscription is not null)
        {
            throw new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "This connection or stream has a subscription already; open another one for another subscription.");
        }

        _services.Hub.Permit(request, _client.Identity);
        _place = _client.HasPlace ? null : await _services.Admission.TakePlaceAsync(_client.Address, _end.Over);
        _messages = FrameMessages.For(request, _channel.Form, _services.Shared, _client.Memory);

        // A message that is made quickly is written on the publisher's thread, which saves a hop between threads.
        var subscription = _services.Hub.Subscribe(
            request,
            new SubscriberInfo(
                _channel.Transport, _messages.IsDirect && (!_channel.Compresses || _messages.IsCompressed),
                OnOffered: _messages.OnOffered, TransportBytes: BridgeServer.SubscriberBytes, Identity: _client.Identity));
        _end.Subscription = subscription;
        if (_writer.IsClosing)
        {
            // Another task ended the session before it had a subscription.
            subscription.Drop(StatusCode.Unavailable, "The session has ended.");
        }

        _ = _writer.WatchAsync(subscription, _services.UnreadTimeout, _services.Logger, _end.Over);
        await _writer.SendAsync(new PlayResponse
        {
            RequestId = requestId,
            Subscribe = new SubscribeResponse { SessionId = subscription.SessionId, Name = subscription.Name },
        });

        // Not on the reading task's stack: a queue that is full already would keep it from reading.
        var frames = new FrameLoop(subscription, _messages, _channel, _writer, _client.Memory, _services.UnreadTimeout);
        var descriptions = _answers.Descriptions;
        _writing = _end.GuardAsync(() => CrowdScheduler.ServeAsync(
            subscription, () => frames.RunAsync(descriptions, _left.Token, _end.Over)));
    }

    private async Task CutSilentAsync(CancellationToken heard)
    {
        var patience = _services.Admission.Limits.IdleTimeout;
        await Task.Delay(patience, heard).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!heard.IsCancellationRequested)
        {
            await _end.RefuseAsync(
                StatusCode.DeadlineExceeded, $"No first message came within {patience.TotalSeconds} s: say what you want, and stay.");
        }
    }
}
