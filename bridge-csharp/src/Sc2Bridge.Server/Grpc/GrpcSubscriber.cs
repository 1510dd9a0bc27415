using Grpc.Core;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>One subscriber's call: deliveries go down, the agent's messages come up.</summary>
internal sealed class GrpcSubscriber : IDisposable
{
    private readonly Subscription _subscription;
    private readonly FrameMessages _frames;
    private readonly GrpcMessageWriter _writer;
    private readonly Func<CancellationToken, ValueTask> _admitAsync;
    private readonly CancellationToken _stopped;
    private readonly CancellationTokenSource _ended;
    private RpcException? _failure;

    /// <param name="subscription">The subscriber's.</param>
    /// <param name="frames">Makes its messages.</param>
    /// <param name="writer">Writes them.</param>
    /// <param name="admitAsync">Waits until a message may be handled.</param>
    /// <param name="stopped">The client is gone, its deadline passed, or the server stops.</param>
    public GrpcSubscriber(
        Subscription subscription,
        FrameMessages frames,
        GrpcMessageWriter writer,
        Func<CancellationToken, ValueTask> admitAsync,
        CancellationToken stopped)
    {
        _subscription = subscription;
        _frames = frames;
        _writer = writer;
        _admitAsync = admitAsync;
        _stopped = stopped;
        _ended = CancellationTokenSource.CreateLinkedTokenSource(stopped);
    }

    /// <summary>Serves the subscriber until its last event was sent, or either side ends the call.</summary>
    /// <param name="requestId">Of the request to subscribe, which is answered first.</param>
    /// <param name="messages">The agent's.</param>
    /// <exception cref="RpcException">The status that the call ends with.</exception>
    /// <exception cref="OperationCanceledException">The call is over.</exception>
    public async Task RunAsync(uint requestId, IAsyncStreamReader<PlayRequest> messages)
    {
        var reading = Task.CompletedTask;
        using var done = new CancellationTokenSource();
        var watching = _writer.WatchAsync(_stopped, done.Token);
        try
        {
            await _writer.WriteAsync(_subscription.Answer(requestId), _stopped);
            reading = ReadAsync(messages);
            await CrowdScheduler.ServeAsync(_subscription, WriteAsync);
            _frames.Dispose();
            await CloseGracePeriod.WaitAsync(_subscription, reading, _ended.Token);
        }
        catch (OperationCanceledException) when (_failure is not null)
        {
            // The status is the failure's.
        }
        finally
        {
            await _ended.CancelAsync();
            await reading;
            await done.CancelAsync();
            await watching;
        }

        if (_failure is not null)
        {
            throw _failure;
        }
    }

    public void Dispose() => _ended.Dispose();

    // One method for the whole stream: each further awaiting method would allocate for every frame.
    private async Task WriteAsync()
    {
        bool isLast;
        do
        {
            if (_subscription.Policy == Policy.Latest)
            {
                await _subscription.ReadyAsync(_ended.Token);
                await _writer.ClearAsync(_ended.Token);
            }

            var delivery = await _subscription.ReadAsync(_ended.Token);
            isLast = delivery.IsLast;
            try
            {
                if (delivery.Frame is { } frame)
                {
                    await CrowdScheduler.AfterAgentsAsync(_subscription, frame.Header, _ended.Token);
                    var message = _frames.Encode(delivery);
                    _subscription.Sent(message.Length);
                    await _writer.WriteAsync(message, _stopped);
                }
                else if (delivery.Event is { Error.Fatal: true } last)
                {
                    throw new RpcException(new Status((StatusCode)last.Error.Code, last.Error.Message));
                }
                else
                {
                    await _writer.WriteAsync(delivery.Event!, _stopped);
                }
            }
            finally
            {
                _frames.Written();
                delivery.Release();
            }
        }
        while (!isLast);
    }

    // Ends when the client has sent its last message; the frames go on.
    private async Task ReadAsync(IAsyncStreamReader<PlayRequest> messages)
    {
        try
        {
            while (await messages.MoveNext(_ended.Token))
            {
                await _admitAsync(_ended.Token);
                _subscription.Admit();
                await HandleAsync(messages.Current);
            }

            _subscription.EndAnswers();
        }
        catch (Exception gone) when (gone is OperationCanceledException or IOException)
        {
            // The client is gone or the call is over; the writing task reports why.
            await _ended.CancelAsync();
        }
        catch (RequestRefusedException refused)
        {
            Refuse((StatusCode)refused.Code, refused.Message);
        }
        catch (RpcException refused)
        {
            Refuse(refused.StatusCode, refused.Status.Detail);
        }
        catch (Exception broken) when (broken is InvalidDataException or InvalidOperationException)
        {
            // Malformed gRPC messages.
            Refuse(StatusCode.Internal, broken.Message);
        }
    }

    private async ValueTask HandleAsync(PlayRequest message)
    {
        switch (message.MessageCase)
        {
            case PlayRequest.MessageOneofCase.Acknowledge:
                _subscription.Acknowledge(message.Acknowledge);
                break;
            case PlayRequest.MessageOneofCase.Actions:
                _subscription.Act(message.Actions);
                break;
            case PlayRequest.MessageOneofCase.Clock:
                var clock = new Clock { AgentNs = message.Clock.AgentNs, BridgeNs = MonotonicClock.NowNs };
                await _writer.WriteAsync(new PlayResponse { Clock = clock }, _stopped);
                break;
            case PlayRequest.MessageOneofCase.Subscribe:
                throw Refusal("A stream has one subscription: open another stream for another.");
            case PlayRequest.MessageOneofCase.Hello or PlayRequest.MessageOneofCase.Describe
                or PlayRequest.MessageOneofCase.CallGame or PlayRequest.MessageOneofCase.Control
                or PlayRequest.MessageOneofCase.Status:
                throw Refusal(
                    "On gRPC 'hello', 'describe', 'call_game', 'control' and 'status' are calls of their own: Hello, Describe, "
                    + "CallGame, Control, Status.");
            default:
                throw new RequestRefusedException(
                    (uint)StatusCode.Unimplemented, "A message of a kind that this bridge does not know.");
        }
    }

    private static RequestRefusedException Refusal(string why) => new((uint)StatusCode.InvalidArgument, why);

    // What the client sent ends its call.
    private void Refuse(StatusCode code, string why)
    {
        _subscription.Drop((uint)code, why);
        _failure = new RpcException(new Status(code, why));
        _ended.Cancel();
    }
}
