using System.Buffers;
using System.Net.WebSockets;
using System.Threading.Channels;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>One client's connection. It reads requests ahead and sends their answers in order.</summary>
/// <param name="socket">The connection. The caller closes it.</param>
/// <param name="game">Answers the requests.</param>
internal sealed class GameApiClient(WebSocket socket, IRequestHandler game) : IServedClient
{
    private const int LargestRequest = 64 * 1024 * 1024;

    private readonly InFlightRequests _inFlight = new();

    /// <inheritdoc/>
    public bool HasEndedGame { get; private set; }

    /// <inheritdoc/>
    public async Task ServeAsync(CancellationToken gone, CancellationToken ct)
    {
        using var disconnected = CancellationTokenSource.CreateLinkedTokenSource(gone, ct);
        var requests = Channel.CreateBounded<Request>(new BoundedChannelOptions(InFlightRequests.MostRequests)
        {
            SingleReader = true,
            SingleWriter = true,
            AllowSynchronousContinuations = true, // no thread switch between the wire and the game
        });
        var reading = ReadAsync(requests.Writer, disconnected);
        try
        {
            if (!await AnswerAsync(requests.Reader, ct, disconnected.Token).ConfigureAwait(false))
            {
                return;
            }

            var (status, why) = await reading.ConfigureAwait(false);
            if (socket.State is WebSocketState.Open or WebSocketState.CloseReceived)
            {
                await socket.CloseOutputAsync(status, why, ct).ConfigureAwait(false);
            }
        }
        finally
        {
            await disconnected.CancelAsync().ConfigureAwait(false);
            await ((Task)reading).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>
    /// Reads requests, also while the game waits for a loop or plays many loops. So this method notices a client that leaves meanwhile.
    /// </summary>
    /// <returns>Why reading ended: the status and the text of the close message.</returns>
    private async Task<(WebSocketCloseStatus Status, string Why)> ReadAsync(
        ChannelWriter<Request> requests, CancellationTokenSource disconnected)
    {
        var reader = new WebSocketMessageReader(socket, LargestRequest);
        try
        {
            while (true)
            {
                switch (await reader.ReadAsync(disconnected.Token).ConfigureAwait(false))
                {
                    case WebSocketMessageType.Close:
                        await disconnected.CancelAsync().ConfigureAwait(false);
                        return (WebSocketCloseStatus.NormalClosure, "");
                    case null:
                        return (WebSocketCloseStatus.MessageTooBig, "request too large");
                }

                await _inFlight.WhenBelowLimitAsync(reader.Message.Length).WaitAsync(disconnected.Token).ConfigureAwait(false);
                var request = Request.Parser.ParseFrom(reader.Message.Span);
                _inFlight.Add();
                await requests.WriteAsync(request, disconnected.Token).ConfigureAwait(false);
                if (request.RequestCase == Request.RequestOneofCase.Quit)
                {
                    return (WebSocketCloseStatus.NormalClosure, "quit");
                }
            }
        }
        catch (InvalidProtocolBufferException)
        {
            return (WebSocketCloseStatus.InvalidPayloadData, "not a Request");
        }
        catch
        {
            await disconnected.CancelAsync().ConfigureAwait(false);
            throw;
        }
        finally
        {
            requests.TryComplete();
        }
    }

    /// <returns>False if the game has ended.</returns>
    /// <exception cref="GameFailure">The game failed.</exception>
    private async Task<bool> AnswerAsync(ChannelReader<Request> requests, CancellationToken ct, CancellationToken disconnected)
    {
        var output = new ArrayBufferWriter<byte>();
        while (!disconnected.IsCancellationRequested && await requests.WaitToReadAsync(ct).ConfigureAwait(false))
        {
            while (!disconnected.IsCancellationRequested && requests.TryRead(out var request))
            {
                output.ResetWrittenCount();
                var outcome = await AskAsync(request, output, disconnected).ConfigureAwait(false);
                HasEndedGame |= outcome is RequestOutcome.Quit or RequestOutcome.Died;
                if (outcome is RequestOutcome.Abandoned or RequestOutcome.Died)
                {
                    return outcome == RequestOutcome.Abandoned;
                }

                await socket.SendAsync(
                    output.WrittenMemory, WebSocketMessageType.Binary, true, ct).ConfigureAwait(false);
                _inFlight.Remove();
                if (outcome == RequestOutcome.Quit)
                {
                    return true;
                }
            }
        }

        return true;
    }

    private async ValueTask<RequestOutcome> AskAsync(Request request, ArrayBufferWriter<byte> output, CancellationToken disconnected)
    {
        try
        {
            return await game.AnswerAsync(request, output, disconnected).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is not OperationCanceledException || !disconnected.IsCancellationRequested)
        {
            throw new GameFailure(failure);
        }
    }
}
