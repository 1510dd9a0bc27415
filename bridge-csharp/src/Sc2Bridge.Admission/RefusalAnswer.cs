using System.Text;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Admission;

/// <summary>A refusal as an answer of HTTP.</summary>
public static class RefusalAnswer
{
    /// <summary>Answers as the request's protocol has it, with one line: gRPC with a status, others with one of HTTP.</summary>
    /// <param name="http">The request.</param>
    /// <param name="call">gRPC's status code.</param>
    /// <param name="status">HTTP's.</param>
    /// <param name="line">Why, without a line's end.</param>
    public static Task WriteAsync(HttpContext http, uint call, int status, string line)
    {
        ArgumentNullException.ThrowIfNull(http);
        if (http.Request.ContentType?.StartsWith("application/grpc", StringComparison.Ordinal) is not true)
        {
            return WriteAsync(http.Response, status, line);
        }

        // gRPC over HTTP/2: a status in the headers alone ("Trailers-Only").
        http.Response.ContentType = "application/grpc";
        http.Response.Headers.GrpcStatus = $"{call}";
        http.Response.Headers.GrpcMessage = Uri.EscapeDataString(line);
        return http.Response.CompleteAsync();
    }

    /// <summary>Answers with one line. With its length: Python's websockets 10 reads no answer in chunks.</summary>
    /// <param name="response">What is answered.</param>
    /// <param name="status">HTTP's status code.</param>
    /// <param name="line">Why, without a line's end.</param>
    public static Task WriteAsync(HttpResponse response, int status, string line)
    {
        ArgumentNullException.ThrowIfNull(response);
        var text = Encoding.UTF8.GetBytes(line + "\n");
        response.StatusCode = status;
        response.ContentType = "text/plain; charset=utf-8";
        response.ContentLength = text.Length;
        return response.Body.WriteAsync(text).AsTask();
    }
}
