using Sc2Bridge.Admission;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Kind = Sc2Bridge.V1.PlayRequest.MessageOneofCase;

namespace Sc2Bridge.Server;

/// <summary>
/// One client on any transport, from its first message to the close: one loop that reads, and from its subscription on one that
/// writes frames (<see cref="SessionSubscriber"/>). The owner of its channel disposes that.
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
    private readonly SessionSubscriber _subscriber;
    private readonly CancellationTokenSource _heard = new();
    private readonly CancellationTokenSource _left = new();

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
            services.Calls, new ConnectionRequests(services.Room), client.Identity,
            answer => _end.GuardAsync(() => _writer.SendAsync(answer)), services.Logger, _end.Over);
        _subscriber = new SessionSubscriber(channel, client, services, _writer, _end);
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
        _subscriber.Leave();
        var closing = _writer.CloseAsync("", SessionLimits.CloseTimeout);
        await _subscriber.CompleteAsync();
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
        await _heard.CancelAsync();

        // Messages sent before the client got the close are ignored.
        if (!_writer.IsClosing)
        {
            await _services.Admission.Messages.WaitAsync(_client.Address, _end.Over);
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
            case Kind.Clock or Kind.Hello or Kind.Subscribe when message.CalculateSize() > SessionLimits.LongestOther:
                throw new RequestRefusedException(StatusCode.InvalidArgument, SessionLimits.TooLong(SessionLimits.LongestOther));
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
                await _subscriber.SubscribeAsync(message.Subscribe, message.RequestId, _answers.Descriptions, _left.Token);
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
