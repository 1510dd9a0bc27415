using Google.Protobuf;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The methods of <c>sc2bridge.v1.Bridge</c>. Written out where the generator would do, because the streams send a
/// <see cref="StreamMessage"/>: a frame's bytes are a message already.
/// </summary>
internal static class BridgeMethods
{
    private static readonly Marshaller<AgentMessage> _agentMessage = Messages(AgentMessage.Parser);
    private static readonly Marshaller<StreamMessage> _streamMessage = new(
        StreamMessage.Serialize, _ => throw new NotSupportedException("The bridge sends these, and reads none."));

    private static readonly Method<DescribeRequest, MatchDescription> _describe =
        Unary(nameof(BridgeServiceBase.Describe), DescribeRequest.Parser, MatchDescription.Parser);

    private static readonly Method<GameRequest, GameResponse> _request =
        Unary(nameof(BridgeServiceBase.Request), GameRequest.Parser, GameResponse.Parser);

    private static readonly Method<ControlRequest, PlaybackState> _control =
        Unary(nameof(BridgeServiceBase.Control), ControlRequest.Parser, PlaybackState.Parser);

    private static readonly Method<StatusRequest, BridgeStatus> _status =
        Unary(nameof(BridgeServiceBase.Status), StatusRequest.Parser, BridgeStatus.Parser);

    private static readonly Method<SubscribeRequest, StreamMessage> _subscribe = new(
        MethodType.ServerStreaming, Name, nameof(BridgeServiceBase.Subscribe), Messages(SubscribeRequest.Parser),
        _streamMessage);

    private static readonly Method<AgentMessage, StreamMessage> _play = new(
        MethodType.DuplexStreaming, Name, nameof(BridgeServiceBase.Play), _agentMessage, _streamMessage);

    /// <summary>The contract of the service.</summary>
    public static ServiceDescriptor Descriptor => Bridge.Descriptor;

    private static string Name => Descriptor.FullName;

    /// <summary>Whether a call of this method subscribes.</summary>
    public static bool Subscribes(IMethod? method) => method == _subscribe || method == _play;

    /// <summary>Called by the gRPC server, with no service, to learn the methods.</summary>
    public static void Bind(ServiceBinderBase binder, BridgeServiceBase? service)
    {
        ArgumentNullException.ThrowIfNull(binder);
        binder.AddMethod(_describe, service is null ? null! : service.Describe);
        binder.AddMethod(_subscribe, service is null ? null! : service.Subscribe);
        binder.AddMethod(_play, service is null ? null! : service.Play);
        binder.AddMethod(_request, service is null ? null! : service.Request);
        binder.AddMethod(_control, service is null ? null! : service.Control);
        binder.AddMethod(_status, service is null ? null! : service.Status);
    }

    private static Method<TRequest, TResponse> Unary<TRequest, TResponse>(
        string name, MessageParser<TRequest> request, MessageParser<TResponse> response)
        where TRequest : class, IMessage<TRequest>
        where TResponse : class, IMessage<TResponse> =>
        new(MethodType.Unary, Name, name, Messages(request), Messages(response));

    private static Marshaller<T> Messages<T>(MessageParser<T> parser)
        where T : class, IMessage<T> => new(StreamMessage.Serialize, context => Parse(parser, context));

    private static T Parse<T>(MessageParser<T> parser, DeserializationContext context)
        where T : class, IMessage<T>
    {
        try
        {
            return parser.ParseFrom(context.PayloadAsReadOnlySequence());
        }
        catch (InvalidProtocolBufferException problem)
        {
            throw new RpcException(new Status(StatusCode.Internal, $"A message cannot be parsed: {problem.Message}"));
        }
    }
}

/// <summary>The shape that the gRPC server looks for in a service.</summary>
[BindServiceMethod(typeof(BridgeMethods), nameof(BridgeMethods.Bind))]
internal abstract class BridgeServiceBase
{
    public abstract Task<MatchDescription> Describe(DescribeRequest request, ServerCallContext context);

    public abstract Task Subscribe(
        SubscribeRequest request, IServerStreamWriter<StreamMessage> events, ServerCallContext context);

    public abstract Task Play(
        IAsyncStreamReader<AgentMessage> messages, IServerStreamWriter<StreamMessage> events, ServerCallContext context);

    public abstract Task<GameResponse> Request(GameRequest request, ServerCallContext context);

    public abstract Task<PlaybackState> Control(ControlRequest request, ServerCallContext context);

    public abstract Task<BridgeStatus> Status(StatusRequest request, ServerCallContext context);
}
