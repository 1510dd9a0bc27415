using Microsoft.Extensions.Logging;
using Sc2Bridge.Encodings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Ends one session: says what an exception means for it, and closes it.</summary>
/// <param name="writer">Writes to the client.</param>
/// <param name="transport">The client's, for logs.</param>
/// <param name="logger">Logs defects.</param>
internal sealed class SessionEnd(ClientWriter writer, string transport, ILogger logger) : IDisposable
{
    private readonly CancellationTokenSource _over = new();

    /// <summary>The client's subscription; null before it has one.</summary>
    public Subscription? Subscription { get; set; }

    /// <summary>Cancelled when all is written.</summary>
    public CancellationToken Over => _over.Token;

    /// <summary>All is written.</summary>
    public Task FinishAsync() => _over.CancelAsync();

    /// <summary>The connection was lost.</summary>
    public void Abort()
    {
        writer.Abort();
        _ = _over.CancelAsync();
    }

    /// <summary>Does a part of the session's work. Never fails: the session ends instead.</summary>
    public async Task GuardAsync(Func<Task> workAsync)
    {
        try
        {
            await workAsync();
        }
#pragma warning disable CA1031 // One place distinguishes its kinds.
        catch (Exception problem)
#pragma warning restore CA1031
        {
            await MapAsync(problem, StatusCode.Internal);
        }
    }

    /// <summary>Says what an exception means: an error of the client's socket, or of its message, or a defect of ours.</summary>
    /// <param name="problem">The exception.</param>
    /// <param name="unreadable">Whose fault bytes are that cannot be read: the code for that.</param>
    /// <param name="requestId">Of the message that was handled.</param>
    /// <returns>False if nothing more can be read.</returns>
    public async Task<bool> MapAsync(Exception problem, uint unreadable, uint requestId = 0)
    {
        switch (problem)
        {
            case PeerGoneException:
                Abort();
                return false;
            case OperationCanceledException or ObjectDisposedException { ObjectName: nameof(Subscription) }
                when _over.IsCancellationRequested:
                return true;
            case RequestRefusedException refused:
                await RefuseAsync(refused.Code, refused.Message, requestId);
                return true;
            case EncodingException:
                await RefuseAsync(unreadable, problem.Message, requestId);
                return true;
            default:
                var isClosing = writer.IsClosing;
                ServerLog.SessionFailed(logger, problem, transport, Subscription?.Name ?? "");
                await RefuseAsync(StatusCode.Internal, $"The bridge failed: {problem.Message}", requestId);
                return !isClosing;
        }
    }

    /// <summary>Ends session and subscription because of what the client did, or of a defect.</summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="message">Why; made one line.</param>
    /// <param name="requestId">Of the message that is refused; 0 if none is.</param>
    /// <param name="patience">How long the client may take to read that and to close; null: the usual time.</param>
    public async Task RefuseAsync(uint code, string message, uint requestId = 0, TimeSpan? patience = null)
    {
        // The close comes first: else the client would get what is queued before the reason.
        var closing = FailAsync(code, message, requestId, patience ?? SessionLimits.CloseTimeout);
        Subscription?.Drop(code, ClientWriter.OneLine(message));
        await closing;
    }

    /// <summary>The bridge stops. A client that has got the end of its match gets no error.</summary>
    public async Task StopAsync()
    {
        if (!writer.IsComplete)
        {
            await FailAsync(StatusCode.Unavailable, SessionLimits.Stopping, 0, SessionLimits.StopTimeout);
            return;
        }

        await writer.CloseAsync("The match has ended.", SessionLimits.StopTimeout);
        await FinishAsync();
    }

    /// <inheritdoc/>
    public void Dispose() => _over.Dispose();

    private async Task FailAsync(uint code, string message, uint requestId, TimeSpan patience)
    {
        var error = new Error { Code = code, Message = ClientWriter.OneLine(message), Fatal = true };
        await writer.FailAsync(new PlayResponse { RequestId = requestId, Error = error }, patience);
        await FinishAsync();
    }
}
