using Google.Protobuf;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary><c>sc2bridge.v1.Bridge</c> on the hub; bridge.proto says what each call means.</summary>
internal sealed class BridgeService(Hub hub, SharedCompression shared)
{
    public const string Name = "sc2bridge.v1.Bridge";

    public async Task DescribeAsync(GrpcCall call)
    {
        var request = await ReadOnlyAsync(call, DescribeRequest.Parser);
        await call.WriteAsync(await hub.Desk.DescribeAsync(request, call.Token));
    }

    public async Task SubscribeAsync(GrpcCall call)
    {
        var request = await ReadOnlyAsync(call, V1.SubscribeRequest.Parser);
        if (request.Policy == Policy.Lockstep)
        {
            throw new GrpcException(
                GrpcCode.InvalidArgument, "POLICY_LOCKSTEP waits for answers, and Subscribe carries none: call Play.");
        }

        if (request.CanAct)
        {
            throw new GrpcException(
                GrpcCode.InvalidArgument, "Who plays sends actions, and Subscribe carries none: call Play.");
        }

        await StreamAsync(call, request, answers: false);
    }

    public async Task PlayAsync(GrpcCall call)
    {
        var first = await call.ReadAsync(AgentMessage.Parser);
        call.OfConnection(hub).Admit();
        if (first?.Subscribe is not { } subscribe)
        {
            throw new GrpcException(GrpcCode.InvalidArgument, "The first message of Play is 'subscribe'.");
        }

        await StreamAsync(call, subscribe, answers: true);
    }

    public async Task RequestAsync(GrpcCall call)
    {
        var request = await ReadOnlyAsync(call, GameRequest.Parser);
        if (request.Request is null)
        {
            throw new GrpcException(GrpcCode.InvalidArgument, "GameRequest.request is empty: say what to ask the game.");
        }

        var response = await call.OfConnection(hub).AskAsync(
            () => hub.Desk.RequestAsync(request, request.Agent, call.Token), call.Token);
        await call.WriteAsync(new GameResponse { Tag = request.Tag, Response = response });
    }

    public async Task ControlAsync(GrpcCall call)
    {
        var request = await ReadOnlyAsync(call, ControlRequest.Parser);
        await call.WriteAsync(hub.Desk.Control(request));
    }

    private async Task<T> ReadOnlyAsync<T>(GrpcCall call, MessageParser<T> parser)
        where T : class, IMessage<T>
    {
        var message = await call.ReadOnlyAsync(parser);
        call.OfConnection(hub).Admit();
        return message;
    }

    private async Task StreamAsync(GrpcCall call, V1.SubscribeRequest request, bool answers)
    {
        // The subscription goes first, so that nothing is offered any more when the messages go.
        using var messages = FrameMessages.For(request, MessageForm.Grpc, shared);
        var sendsGzip = call.SendsGzip && !messages.IsCompressed;

        // Where it is quick a message goes out on the publisher's own thread: that saves a hop.
        using var subscription = hub.Subscribe(
            request,
            new SubscriberInfo("grpc", DeliverInline: messages.IsDirect && !sendsGzip, Offered: messages.Offered));
        await call.StartAsync();
        var reading = answers ? ReadAnswersAsync(call, subscription) : Task.CompletedTask;
        try
        {
            // One method for the whole stream: each one more that waits would be an allocation a frame.
            bool isLast;
            do
            {
                if (subscription.Policy == Policy.Latest)
                {
                    await subscription.ReadyAsync(call.Token);
                    await call.ClearAsync();
                }

                var delivery = await subscription.ReadAsync(call.Token);
                isLast = delivery.IsLast;
                try
                {
                    if (delivery.Frame is { } frame)
                    {
                        var message = await messages.OfAsync(frame);
                        await (sendsGzip ? WriteGzipAsync(call, messages, frame, message) : call.WriteAsync(message));
                    }
                    else if (delivery.Event is { } happened)
                    {
                        await DeliverAsync(call, happened);
                    }
                }
                finally
                {
                    delivery.Release();
                }
            }
            while (!isLast);

            messages.Dispose();
            await CloseGracePeriod.HearAsync(subscription, reading, call.Token);
        }
        finally
        {
            call.StopReading();
            await reading;
        }
    }

    // The observation's message is everybody's, and compressed once; another is this subscriber's own.
    private static async ValueTask WriteGzipAsync(
        GrpcCall call, FrameMessages messages, ObservationFrame frame, ReadOnlyMemory<byte> message)
    {
        if (messages.IsObservation)
        {
            await call.WriteAsync(frame.Encoded(GzipFrameEncoding.Instance));
            return;
        }

        var buffer = GrpcGzip.Compress(message.Span[GrpcFraming.PrefixLength..]);
        try
        {
            await call.WriteAsync(buffer.Written);
        }
        finally
        {
            buffer.Release();
        }
    }

    private static Task DeliverAsync(GrpcCall call, Event happened) => happened.Error is { Fatal: true } error
        ? throw new GrpcException((GrpcCode)error.Code, error.Message)
        : call.WriteAsync(happened);

    // Ends when the client has sent its last message; the frames go on.
    private static async Task ReadAnswersAsync(GrpcCall call, Streaming.Subscription subscription)
    {
        try
        {
            while (await call.ReadAsync(AgentMessage.Parser) is { } message)
            {
                subscription.Admit();
                switch (message.MessageCase)
                {
                    case AgentMessage.MessageOneofCase.Acknowledge:
                        subscription.Acknowledge(message.Acknowledge);
                        break;
                    case AgentMessage.MessageOneofCase.Actions:
                        subscription.Act(message.Actions);
                        break;
                    case AgentMessage.MessageOneofCase.Clock:
                        await call.WriteAsync(new Event
                        {
                            Clock = new Clock { AgentNs = message.Clock.AgentNs, BridgeNs = MonotonicClock.NowNs },
                        });
                        break;
                    default:
                        throw Refused(message.MessageCase);
                }
            }

            subscription.EndAnswers();
        }
        catch (GrpcException refused)
        {
            subscription.Drop((uint)refused.Code, refused.Message);
            call.Fail(refused);
        }
        catch (RequestRefusedException refused)
        {
            subscription.Drop(refused.Code, refused.Message);
            call.Fail(new GrpcException((GrpcCode)refused.Code, refused.Message));
        }
        catch (Exception problem) when (problem is OperationCanceledException or IOException)
        {
            // The call is over, and the one who serves it says why.
            call.Fail(call.Ending());
        }
    }

    private static GrpcException Refused(AgentMessage.MessageOneofCase kind) => kind switch
    {
        AgentMessage.MessageOneofCase.Subscribe =>
            new(GrpcCode.InvalidArgument, "A stream has one subscription: open another stream for another."),
        AgentMessage.MessageOneofCase.Describe or AgentMessage.MessageOneofCase.Request
            or AgentMessage.MessageOneofCase.Control => new(
                GrpcCode.InvalidArgument,
                "On gRPC 'describe', 'request' and 'control' are calls of their own: Describe, Request, Control."),
        _ => new(GrpcCode.Unimplemented, "A message of a kind that this bridge does not know."),
    };
}
