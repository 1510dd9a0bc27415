using System.Net.WebSockets;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Ends a session with an error or a close; the first reason counts.</summary>
/// <param name="socket">The client's; aborted where nothing can be sent.</param>
/// <param name="sender">Writes to it.</param>
internal sealed class SessionCloser(WebSocket socket, WebSocketMessageWriter sender)
{
    /// <summary>Something went wrong: a fatal error, and a close with 4000 and the code.</summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="message">Why; made one line.</param>
    /// <param name="requestId">The refused request; 0 if it has no answer of its own.</param>
    public Task FailAsync(uint code, string message, uint requestId = 0)
    {
        var error = new Error { Code = code, Message = OneLine(message), Fatal = true };
        return FailAsync(new PlayResponse { RequestId = requestId, Error = error }, WebSocketLimits.CloseTimeout);
    }

    /// <summary>The same with an error that is made already.</summary>
    /// <param name="last">It.</param>
    /// <param name="patience">How long the client may take to close.</param>
    public Task FailAsync(PlayResponse last, TimeSpan patience) =>
        SendAsync(last, WebSocketWriter.StatusOf(last.Error.Code), last.Error.Message, patience);

    /// <summary>Closes without an error event.</summary>
    /// <param name="status">Why, as a number.</param>
    /// <param name="reason">Why, in words.</param>
    /// <param name="patience">How long the client may take to close.</param>
    public Task CloseAsync(WebSocketCloseStatus status, string reason, TimeSpan patience) =>
        SendAsync(null, status, reason, patience);

    /// <summary>
    /// A library's message may quote the client's text: escapes it, and replaces lone surrogates, which cannot be sent.
    /// </summary>
    public static string OneLine(string text)
    {
        return System.Text.Encoding.UTF8.GetString(System.Text.Encoding.UTF8.GetBytes(PlainText.Escape(text)));
    }

    private async Task SendAsync(PlayResponse? last, WebSocketCloseStatus status, string reason, TimeSpan patience)
    {
        try
        {
            await sender.CloseAsync(last, status, reason, patience);
        }
        catch (Exception ending) when (WebSocketEnd.Is(ending))
        {
            socket.Abort();
        }
    }
}
