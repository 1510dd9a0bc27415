using Grpc.Core;
using Grpc.Core.Interceptors;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>Turns what a call throws into the status that it ends with; a defect is logged with its stack.</summary>
internal sealed class StatusInterceptor(IHostApplicationLifetime lifetime, ILogger<StatusInterceptor> logger) : Interceptor
{
    public override async Task<TResponse> UnaryServerHandler<TRequest, TResponse>(
        TRequest request, ServerCallContext context, UnaryServerMethod<TRequest, TResponse> continuation)
    {
        try
        {
            GrpcCompression.Choose(context);
            return await continuation(request, context);
        }
        catch (Exception problem) when (problem is not RpcException)
        {
            throw new RpcException(StatusOf(problem, context));
        }
    }

    public override async Task DuplexStreamingServerHandler<TRequest, TResponse>(
        IAsyncStreamReader<TRequest> requestStream,
        IServerStreamWriter<TResponse> responseStream,
        ServerCallContext context,
        DuplexStreamingServerMethod<TRequest, TResponse> continuation)
    {
        try
        {
            GrpcCompression.Choose(context);
            await continuation(new ReadableStream<TRequest>(requestStream, context), responseStream, context);
        }
        catch (Exception problem) when (problem is not RpcException)
        {
            throw new RpcException(StatusOf(problem, context));
        }
    }

    private Status StatusOf(Exception problem, ServerCallContext context)
    {
        switch (problem)
        {
            case RequestRefusedException refused:
                return new Status((StatusCode)refused.Code, refused.Message);
            case OperationCanceledException or IOException or InvalidOperationException
                when context.CancellationToken.IsCancellationRequested:
                // The client is gone: there is nobody to send a status to.
                return new Status(StatusCode.Cancelled, "The client has gone.");
            case OperationCanceledException when lifetime.ApplicationStopping.IsCancellationRequested:
                return new Status(StatusCode.Unavailable, "The bridge is shutting down.");
            case OperationCanceledException:
                return new Status(StatusCode.Cancelled, "The call is over.");
            default:
                ServerLog.CallFailed(logger, problem, context.Method);
                return new Status(StatusCode.Internal, $"The bridge failed: {problem.Message}");
        }
    }

    // A message that is framed or compressed wrongly is its sender's fault, which fills no log.
    private sealed class ReadableStream<T>(IAsyncStreamReader<T> stream, ServerCallContext context) : IAsyncStreamReader<T>
    {
        // The longest time between the two, on a busy machine.
        private static readonly TimeSpan _cancellation = TimeSpan.FromSeconds(1);

        public T Current => stream.Current;

        public async Task<bool> MoveNext(CancellationToken cancellationToken)
        {
            try
            {
                return await stream.MoveNext(cancellationToken);
            }
            catch (Exception unreadable) when (unreadable is IOException or InvalidDataException
                && !context.CancellationToken.IsCancellationRequested)
            {
                if (unreadable is IOException)
                {
                    // Kestrel ends the stream of a client that has gone before it cancels the call.
                    await Task.Delay(_cancellation, context.CancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    context.CancellationToken.ThrowIfCancellationRequested();
                }

                throw new RpcException(new Status(StatusCode.Internal, $"The message cannot be read: {unreadable.Message}"));
            }
        }
    }
}
