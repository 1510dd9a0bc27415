using System.Buffers;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The methods of <c>sc2bridge.v1.BridgeService</c>. They are written by hand instead of generated, because the stream sends
/// a <see cref="StreamMessage"/>, whose bytes are already serialized.
/// </summary>
internal static class BridgeMethods
{
    private static readonly Marshaller<StreamMessage> _streamMessage = new(
        StreamMessage.Serialize, _ => throw new NotSupportedException("The bridge sends these messages and never reads them."));

    private static readonly Method<HelloRequest, HelloResponse> _helloMethod = Unary<HelloRequest, HelloResponse>(nameof(GrpcBridge.Hello));

    private static readonly Method<DescribeRequest, DescribeResponse> _describeMethod = Unary<DescribeRequest, DescribeResponse>(nameof(GrpcBridge.Describe));

    private static readonly Method<CallGameRequest, CallGameResponse> _callGameMethod = Unary<CallGameRequest, CallGameResponse>(nameof(GrpcBridge.CallGame));

    private static readonly Method<ControlRequest, ControlResponse> _controlMethod = Unary<ControlRequest, ControlResponse>(nameof(GrpcBridge.Control));

    private static readonly Method<StatusRequest, StatusResponse> _statusMethod = Unary<StatusRequest, StatusResponse>(nameof(GrpcBridge.Status));

    private static readonly Method<PlayRequest, StreamMessage> _playMethod = new(
        MethodType.DuplexStreaming, ServiceName, nameof(GrpcBridge.Play), MarshallerFor(new PlayRequest()), _streamMessage);

    public static ServiceDescriptor Descriptor => BridgeService.Descriptor;

    private static string ServiceName => Descriptor.FullName;

    /// <summary>Whether a call of this method subscribes.</summary>
    public static bool IsSubscribing(IMethod? method) => method == _playMethod;

    /// <summary>Binds the methods. To find the methods, the gRPC server calls this method without a service.</summary>
    public static void Bind(ServiceBinderBase binder, GrpcBridge? service)
    {
        ArgumentNullException.ThrowIfNull(binder);
        binder.AddMethod(_helloMethod, service is null ? null! : service.Hello);
        binder.AddMethod(_describeMethod, service is null ? null! : service.Describe);
        binder.AddMethod(_playMethod, service is null ? null! : service.Play);
        binder.AddMethod(_callGameMethod, service is null ? null! : service.CallGame);
        binder.AddMethod(_controlMethod, service is null ? null! : service.Control);
        binder.AddMethod(_statusMethod, service is null ? null! : service.Status);
    }

    private static Method<TRequest, TResponse> Unary<TRequest, TResponse>(string name)
        where TRequest : class, IMessage, new()
        where TResponse : class, IMessage, new() =>
        new(MethodType.Unary, ServiceName, name, MarshallerFor(new TRequest()), MarshallerFor(new TResponse()));

    private static Marshaller<T> MarshallerFor<T>(T empty)
        where T : class, IMessage => new(Serialize, context => (T)Parse(empty.Descriptor, context));

    private static void Serialize<T>(T message, SerializationContext context)
        where T : class, IMessage
    {
        context.SetPayloadLength(message.CalculateSize());
        message.WriteTo(context.GetBufferWriter());
        context.Complete();
    }

    private static IMessage Parse(MessageDescriptor type, DeserializationContext context)
    {
        var message = context.PayloadAsReadOnlySequence();
        if (!ParsedMemory.Fits(type, message.IsSingleSegment ? message.FirstSpan : message.ToArray(), SessionLimits.MostMessageMemory))
        {
            throw new RpcException(new Status(StatusCode.ResourceExhausted, SessionLimits.TooMuchMemoryMessage));
        }

        try
        {
            return type.Parser.ParseFrom(message);
        }
        catch (InvalidProtocolBufferException problem)
        {
            throw new RpcException(new Status(StatusCode.Internal, $"A message cannot be parsed: {problem.Message}"));
        }
    }
}
