using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Ends one session. Decides whether an exception ends the session, and with which error.</summary>
/// <param name="writer">Writes to the client.</param>
/// <param name="transport">The client's transport, for logs.</param>
/// <param name="logger">Logs defects.</param>
internal sealed class SessionEnd(ClientWriter writer, string transport, ILogger logger) : IDisposable
{
    private readonly CancellationTokenSource _ended = new();

    /// <summary>The client's subscription; null before the client has subscribed.</summary>
    public Subscription? Subscription { get; set; }

    /// <summary>Cancelled when everything is written, or the connection is lost.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Signals that everything is written. Cancels <see cref="Ended"/>.</summary>
    public Task SignalWrittenAsync() => _ended.CancelAsync();

    /// <summary>Aborts the connection and cancels <see cref="Ended"/>. Call it when the connection is lost.</summary>
    public void Abort()
    {
        writer.Abort();
        _ = _ended.CancelAsync();
    }

    /// <summary>Runs a task of the session. Never fails: an exception in the task ends the session instead.</summary>
    public async Task RunGuardedAsync(Func<Task> workAsync)
    {
        try
        {
            await workAsync();
        }
#pragma warning disable CA1031 // HandleExceptionAsync handles each kind of exception.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            await HandleExceptionAsync(problem, StatusCode.Internal);
        }
    }

    /// <summary>Handles an exception: a lost connection, an error in the client's message, or a defect of the bridge.</summary>
    /// <param name="problem">The exception.</param>
    /// <param name="unreadableCode">The status code for bytes that cannot be decoded.</param>
    /// <param name="requestId">The request id of the message that was handled; 0 if no message was handled.</param>
    /// <returns>False if nothing more can be read.</returns>
    public async Task<bool> HandleExceptionAsync(Exception problem, uint unreadableCode, uint requestId = 0)
    {
        switch (problem)
        {
            case PeerGoneException:
                Abort();
                return false;
            case OperationCanceledException or ObjectDisposedException { ObjectName: nameof(Subscription) }
                when _ended.IsCancellationRequested:
                return true;
            case RequestRefusedException refused:
                await RefuseAsync(refused.Code, refused.Message, requestId);
                return true;
            case EncodingException:
                await RefuseAsync(unreadableCode, problem.Message, requestId);
                return true;
            default:
                var isClosing = writer.IsClosing;
                ServerLog.SessionFailed(logger, problem, transport, Subscription?.Name ?? "");
                await RefuseAsync(StatusCode.Internal, $"The bridge failed: {problem.Message}", requestId);
                return !isClosing;
        }
    }

    /// <summary>Ends the session and the subscription because of an error of the client, or a defect of the bridge.</summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="message">The reason; converted to one line.</param>
    /// <param name="requestId">The request id of the refused message; 0 if no message was refused.</param>
    /// <param name="patience">How long the client may take to read the reason and close; null for the usual time.</param>
    public async Task RefuseAsync(uint code, string message, uint requestId = 0, TimeSpan? patience = null)
    {
        // The close comes first. Otherwise the client would get its queued frames before the reason.
        var closing = FailAsync(code, message, requestId, patience ?? SessionLimits.CloseTimeout);
        Subscription?.Drop(code, ClientWriter.ToOneLine(message));
        await closing;
    }

    /// <summary>Called when the bridge stops. A client that has got the end of its match gets no error.</summary>
    public async Task StopAsync()
    {
        if (!writer.IsMatchEndWritten)
        {
            await FailAsync(StatusCode.Unavailable, SessionLimits.StoppingMessage, 0, SessionLimits.StopTimeout);
            return;
        }

        await writer.CloseAsync("The match has ended.", SessionLimits.StopTimeout);
        await SignalWrittenAsync();
    }

    /// <inheritdoc/>
    public void Dispose() => _ended.Dispose();

    private async Task FailAsync(uint code, string message, uint requestId, TimeSpan patience)
    {
        var error = new Error { Code = code, Message = ClientWriter.ToOneLine(message), Fatal = true };
        await writer.FailAsync(new PlayResponse { RequestId = requestId, Error = error }, patience);
        await SignalWrittenAsync();
    }
}
