using Grpc.Core;
using Grpc.Core.Interceptors;

namespace Sc2Bridge.Server;

/// <summary>Reserves a place in <see cref="StrangerAnswers"/> for each answer of the reflection service. A call that sends nothing needs no place.</summary>
internal sealed class ReflectionPlaces(StrangerAnswers answers) : Interceptor
{
    public override Task DuplexStreamingServerHandler<TRequest, TResponse>(
        IAsyncStreamReader<TRequest> requestStream, IServerStreamWriter<TResponse> responseStream, ServerCallContext context,
        DuplexStreamingServerMethod<TRequest, TResponse> continuation) =>
        continuation(requestStream, new Writer<TResponse>(responseStream, context, answers), context);

    private sealed class Writer<T>(IServerStreamWriter<T> stream, ServerCallContext context, StrangerAnswers answers) : IServerStreamWriter<T>
    {
        public WriteOptions? WriteOptions
        {
            get => stream.WriteOptions;
            set => stream.WriteOptions = value;
        }

        public async Task WriteAsync(T message)
        {
            if (!await answers.SendAsync(context.GetHttpContext(), () => stream.WriteAsync(message)))
            {
                throw new RpcException(new Status(StatusCode.Unavailable, StrangerAnswers.BusyMessage));
            }
        }
    }
}
