using System.Text;
using Microsoft.AspNetCore.Http;

namespace Sc2Bridge.Admission;

/// <summary>A refusal as an answer of HTTP.</summary>
public static class RefusalAnswer
{
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
