using System.Text;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Admission;

/// <summary>A refusal as an HTTP answer.</summary>
public static class RefusalAnswer
{
    /// <summary>Answers with one line in the request's protocol: a gRPC status for gRPC, else an HTTP status.</summary>
    /// <param name="http">The request.</param>
    /// <param name="grpcStatus">The gRPC status code.</param>
    /// <param name="httpStatus">The HTTP status code.</param>
    /// <param name="line">The reason, without a line end.</param>
    public static Task WriteAsync(HttpContext http, uint grpcStatus, int httpStatus, string line)
    {
        ArgumentNullException.ThrowIfNull(http);
        if (http.Request.ContentType?.StartsWith("application/grpc", StringComparison.Ordinal) is not true)
        {
            return WriteAsync(http.Response, httpStatus, line);
        }

        // gRPC over HTTP/2: a status in the headers alone ("Trailers-Only").
        http.Response.ContentType = "application/grpc";
        http.Response.Headers.GrpcStatus = $"{grpcStatus}";
        http.Response.Headers.GrpcMessage = Uri.EscapeDataString(line);
        return http.Response.CompleteAsync();
    }

    /// <summary>Answers with one line. The answer has a Content-Length, because Python's websockets 10 cannot read a chunked answer.</summary>
    /// <param name="response">The response.</param>
    /// <param name="httpStatus">The HTTP status code.</param>
    /// <param name="line">The reason, without a line end.</param>
    public static Task WriteAsync(HttpResponse response, int httpStatus, string line)
    {
        ArgumentNullException.ThrowIfNull(response);
        var text = Encoding.UTF8.GetBytes(line + "\n");
        response.StatusCode = httpStatus;
        response.ContentType = "text/plain; charset=utf-8";
        response.ContentLength = text.Length;
        return response.Body.WriteAsync(text).AsTask();
    }
}
