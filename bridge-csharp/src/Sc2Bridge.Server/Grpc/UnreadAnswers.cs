using Grpc.AspNetCore.Server;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Server;

/// <summary>
/// Keeps a gRPC call open until its answer is sent. Otherwise Kestrel would buffer the answers of finished calls for clients
/// that do not read. If an answer stays unread, its call is reset.
/// </summary>
internal static class UnreadAnswers
{
    // The bridge does not wait for shorter answers: a wait costs a thread switch. The limit of streams per connection also limits their memory.
    private const int ShortAnswerBytes = 16 << 10;

    /// <summary>Makes each call with a long answer wait until the answer is sent.</summary>
    /// <param name="app">The pipeline. <see cref="CountedBody"/> must come first.</param>
    /// <param name="patience">How long an answer may stay unread.</param>
    public static void Use(IApplicationBuilder app, TimeSpan patience) => app.Use(async (http, next) =>
    {
        await next(http);
        if (http.Features.Get<IHttpResponseBodyFeature>() is not CountedBody { WrittenBytes: > ShortAnswerBytes } body
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
            // The call has ended at its deadline.
        }
    });
}
