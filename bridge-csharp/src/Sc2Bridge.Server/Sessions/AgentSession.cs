using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Kind = Sc2Bridge.V1.PlayRequest.MessageOneofCase;

namespace Sc2Bridge.Server;

/// <summary>
/// Serves one client on any transport, from its first message to the close. One loop reads messages. After the client has
/// subscribed, another loop writes frames (<see cref="SessionSubscriber"/>). The caller disposes the channel.
/// </summary>
internal sealed class AgentSession : IDisposable
{
    private readonly IMessageChannel _channel;
    private readonly SessionServices _services;
    private readonly SessionClient _client;
    private readonly SessionWriter _writer;
    private readonly SessionEnd _end;
    private readonly UnfinishedMessage _unfinishedMessage;
    private readonly Func<long, bool> _mayBuffer;
    private readonly PendingAnswers _answers;
    private readonly SessionSubscriber _subscriber;
    private readonly CancellationTokenSource _firstMessageArrived = new();
    private readonly CancellationTokenSource _clientLeft = new();

    public AgentSession(IMessageChannel channel, SessionClient client, SessionServices services)
    {
        (_channel, _client, _services) = (channel, client, services);
        _writer = new SessionWriter(channel);
        _end = new SessionEnd(_writer, channel.Transport, services.Logger);
        var unfinished = services.Admission.Unfinished;
        _unfinishedMessage = unfinished.Track(
            () => _ = _end.RefuseAsync(StatusCode.ResourceExhausted, unfinished.RefusalMessage, patience: SessionLimits.CutTimeout));
        _mayBuffer = _unfinishedMessage.Resize;
        _answers = new PendingAnswers(
            services.Calls, new ConnectionRequests(services.RequestRoom), client.Identity,
            answer => _end.RunGuardedAsync(() => _writer.SendAsync(answer)), services.Logger, _end.Ended);
        _subscriber = new SessionSubscriber(channel, client, services, _writer, _end);
    }

    /// <summary>Serves the client until both directions are closed.</summary>
    /// <param name="stopping">Cancelled when the bridge stops. The session then ends, and reports an error if the match has not ended.</param>
    /// <param name="gone">Cancelled when the connection is lost.</param>
    public async Task RunAsync(CancellationToken stopping, CancellationToken gone)
    {
        using var onGone = gone.UnsafeRegister(static end => ((SessionEnd)end!).Abort(), _end);
        using var onStop = stopping.UnsafeRegister(static end => _ = ((SessionEnd)end!).StopAsync(), _end);
        _ = RefuseIfSilentAsync(_firstMessageArrived.Token);
        try
        {
            if (await ReadAsync())
            {
                await _subscriber.Writing;
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
        _unfinishedMessage.Dispose();
        _writer.Dispose();
        _answers.Dispose();
        _firstMessageArrived.Dispose();
        _clientLeft.Dispose();
        _end.Dispose();
    }

    // Writes must end before the channel is disposed. A client that does not read can delay this only briefly.
    private async Task EndAsync()
    {
        await _firstMessageArrived.CancelAsync();
        await _end.SignalWrittenAsync();
        _subscriber.EndSubscription();
        var closing = _writer.CloseAsync("", SessionLimits.CloseTimeout);
        await _subscriber.CompleteAsync();
        await _answers.CompleteAsync();
        await closing;
    }

    // Returns true if the client sends no more messages but still reads.
    private async Task<bool> ReadAsync()
    {
        var canRead = true;
        PlayRequest? message;
        do
        {
            var requestId = 0u;
            try
            {
                message = await _channel.ReadAsync(_mayBuffer);
                if (message is not null)
                {
                    requestId = message.RequestId;
                    await OnMessageAsync(message);
                }
            }
#pragma warning disable CA1031 // HandleExceptionAsync handles each kind of exception.
            catch (Exception problem)
#pragma warning restore CA1031
            {
                canRead = await _end.HandleExceptionAsync(problem, StatusCode.InvalidArgument, requestId);
                continue;
            }

            if (message is null)
            {
                break;
            }
        }
        while (canRead);

        var stillReads = canRead && _channel.IsCall && !_writer.IsClosing;
        if (stillReads)
        {
            _end.Subscription?.OnStreamEnded();
            if (!_firstMessageArrived.IsCancellationRequested)
            {
                await _end.RefuseAsync(StatusCode.InvalidArgument, "No message arrived: subscribe, and keep the stream open.");
            }
        }

        await _clientLeft.CancelAsync();
        return stillReads;
    }

    private async ValueTask OnMessageAsync(PlayRequest message)
    {
        await _firstMessageArrived.CancelAsync();

        // After the bridge's close, messages that the client sent earlier are ignored.
        if (!_writer.IsClosing)
        {
            await _services.Admission.MessageRate.WaitAsync(_client.Address, _end.Ended);
            if (_end.Subscription is { } subscription)
            {
                subscription.AdmitMessage();
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
            case Kind.Clock or Kind.Hello or Kind.Subscribe when message.CalculateSize() > SessionLimits.LongestSubscribeHelloClock:
                throw new RequestRefusedException(StatusCode.InvalidArgument, SessionLimits.TooLongMessage(SessionLimits.LongestSubscribeHelloClock));
            case Kind.Acknowledge:
                RequireSubscription("acknowledge a step").Acknowledge(message.Acknowledge);
                break;
            case Kind.Actions:
                RequireSubscription("send actions").Act(message.Actions);
                break;
            case Kind.Clock:
                await _writer.SendAsync(new PlayResponse { RequestId = message.RequestId, Clock = new Clock { AgentNs = message.Clock.AgentNs } });
                break;
            case Kind.Subscribe:
                await _subscriber.SubscribeAsync(message.Subscribe, message.RequestId, _answers.Descriptions, _clientLeft.Token);
                break;
            case Kind.Hello:
                await _writer.SendAsync(
                    new PlayResponse { RequestId = message.RequestId, Hello = _services.Calls.Hello(message.Hello) });
                break;
            case Kind.Describe or Kind.CallGame or Kind.Control or Kind.Status:
                await _answers.AddAsync(message, _end.Subscription);
                break;
            case Kind.SharedProgress when _client.Memory is { } memory:
                if (memory.Acknowledge(message.SharedProgress) is { } problem)
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

    private Subscription RequireSubscription(string action) => _end.Subscription ?? throw new RequestRefusedException(
        StatusCode.FailedPrecondition, $"You cannot {action} before you have subscribed: send subscribe first.");

    private async Task RefuseIfSilentAsync(CancellationToken firstMessageArrived)
    {
        var idleTimeout = _services.Admission.Limits.IdleTimeout;
        await Task.Delay(idleTimeout, firstMessageArrived).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!firstMessageArrived.IsCancellationRequested)
        {
            await _end.RefuseAsync(
                StatusCode.DeadlineExceeded, $"No first message arrived within {idleTimeout.TotalSeconds} s: send one after you connect.");
        }
    }
}
