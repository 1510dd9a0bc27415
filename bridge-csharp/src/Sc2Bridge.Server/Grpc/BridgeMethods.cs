using System.Buffers;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Grpc.Core;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>
/// The methods of <c>sc2bridge.v1.BridgeService</c>. Written out where the generator would do, because the stream sends a
/// <see cref="StreamMessage"/>: a frame's bytes are a message already.
/// </summary>
internal static class BridgeMethods
{
    private static readonly Marshaller<StreamMessage> _streamMessage = new(
        StreamMessage.Serialize, _ => throw new NotSupportedException("The bridge sends these, and reads none."));

    private static readonly Method<HelloRequest, HelloResponse> _hello = Unary<HelloRequest, HelloResponse>(nameof(GrpcBridge.Hello));

    private static readonly Method<DescribeRequest, DescribeResponse> _describe = Unary<DescribeRequest, DescribeResponse>(nameof(GrpcBridge.Describe));

    private static readonly Method<CallGameRequest, CallGameResponse> _callGame = Unary<CallGameRequest, CallGameResponse>(nameof(GrpcBridge.CallGame));

    private static readonly Method<ControlRequest, ControlResponse> _control = Unary<ControlRequest, ControlResponse>(nameof(GrpcBridge.Control));

    private static readonly Method<StatusRequest, StatusResponse> _status = Unary<StatusRequest, StatusResponse>(nameof(GrpcBridge.Status));

    private static readonly Method<PlayRequest, StreamMessage> _play = new(
        MethodType.DuplexStreaming, Name, nameof(GrpcBridge.Play), Messages(new PlayRequest()), _streamMessage);

    /// <summary>The contract of the service.</summary>
    public static ServiceDescriptor Descriptor => BridgeService.Descriptor;

    private static string Name => Descriptor.FullName;

    /// <summary>Whether a call of this method subscribes.</summary>
    public static bool Subscribes(IMethod? method) => method == _play;

    /// <summary>Called by the gRPC server, with no service, to learn the methods.</summary>
    public static void Bind(ServiceBinderBase binder, GrpcBridge? service)
    {
        ArgumentNullException.ThrowIfNull(binder);
        binder.AddMethod(_hello, service is null ? null! : service.Hello);
        binder.AddMethod(_describe, service is null ? null! : service.Describe);
        binder.AddMethod(_play, service is null ? null! : service.Play);
        binder.AddMethod(_callGame, service is null ? null! : service.CallGame);
        binder.AddMethod(_control, service is null ? null! : service.Control);
        binder.AddMethod(_status, service is null ? null! : service.Status);
    }

    private static Method<TRequest, TResponse> Unary<TRequest, TResponse>(string name)
        where TRequest : class, IMessage, new()
        where TResponse : class, IMessage, new() =>
        new(MethodType.Unary, Name, name, Messages(new TRequest()), Messages(new TResponse()));

    private static Marshaller<T> Messages<T>(T empty)
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
        if (!ParsedMemory.Fits(type, message.IsSingleSegment ? message.FirstSpan : message.ToArray(), SessionLimits.MostMemory))
        {
            throw new RpcException(new Status(StatusCode.ResourceExhausted, SessionLimits.TooMuchMemory));
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
