using Grpc.Core;
using Grpc.Core.Interceptors;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Sc2Bridge.Streaming;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server;

/// <summary>Converts an exception in a call to the call's gRPC status. A defect is logged with its stack trace.</summary>
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

    private Status StatusOf(Exception problem, ServerCallContext context)
    {
        switch (problem)
        {
            case RequestRefusedException refused:
                return new Status((StatusCode)refused.Code, refused.Message);
            case OperationCanceledException or IOException or InvalidOperationException
                when context.CancellationToken.IsCancellationRequested:
                // The client has disconnected, so the status is not sent.
                return new Status(StatusCode.Cancelled, "The client has gone.");
            case OperationCanceledException when lifetime.ApplicationStopping.IsCancellationRequested:
                return new Status(StatusCode.Unavailable, SessionLimits.StoppingMessage);
            case OperationCanceledException:
                return new Status(StatusCode.Cancelled, "The call is over.");
            default:
                ServerLog.CallFailed(logger, problem, context.Method);
                return new Status(StatusCode.Internal, $"The bridge failed: {problem.Message}");
        }
    }
}
