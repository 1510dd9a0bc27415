using Grpc.AspNetCore.Server;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Server;

/// <summary>
/// Keeps a gRPC call open until its answer is sent. Without this, Kestrel buffers the answers of finished calls for clients that do not
/// read. If an answer stays unread, its call is reset.
/// </summary>
internal static class UnreadAnswers
{
    // Short answers are bounded by the number of streams. To wait for each would cost a thread switch.
    private const int Short = 16 << 10;

    /// <summary>Waits for the answers that are not short.</summary>
    /// <param name="app">The pipeline. <see cref="CountedBody"/> comes before this.</param>
    /// <param name="patience">How long an answer may be unread.</param>
    public static void Use(IApplicationBuilder app, TimeSpan patience) => app.Use(async (http, next) =>
    {
        await next(http);
        if (http.Features.Get<IHttpResponseBodyFeature>() is not CountedBody { Bytes: > Short } body
            || http.GetEndpoint()?.Metadata.GetMetadata<GrpcMethodMetadata>()?.Method.Type != MethodType.Unary)
        {
            return;
        }

        try
        {
            await body.Writer.FlushAsync().AsTask().WaitAsync(patience);
        }
        catch (TimeoutException)
        {
            http.Features.Get<IHttpResetFeature>()?.Reset(PlayChannel.ResetCancel);
        }
        catch (InvalidOperationException)
        {
            // The call's deadline has ended it.
        }
    });
}
