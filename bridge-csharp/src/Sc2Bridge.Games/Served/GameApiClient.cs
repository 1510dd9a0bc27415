using System.Buffers;
using System.Net.WebSockets;
using System.Threading.Channels;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>One client's connection: its requests, read ahead, and their answers in order.</summary>
/// <param name="socket">The connection; its owner closes it.</param>
/// <param name="game">Answers.</param>
internal sealed class GameApiClient(WebSocket socket, IRequestHandler game) : IServedClient
{
    private const int LargestRequest = 64 * 1024 * 1024;

    private readonly InFlightRequests _inFlight = new();

    /// <inheritdoc/>
    public bool EndedGame { get; private set; }

    /// <inheritdoc/>
    public async Task ServeAsync(CancellationToken gone, CancellationToken ct)
    {
        using var left = CancellationTokenSource.CreateLinkedTokenSource(gone, ct);
        var requests = Channel.CreateBounded<Request>(new BoundedChannelOptions(InFlightRequests.Most)
        {
            SingleReader = true,
            SingleWriter = true,
            AllowSynchronousContinuations = true, // no hop between threads from the wire to the game
        });
        var reading = ReadAsync(requests.Writer, left);
        try
        {
            if (!await AnswerAsync(requests.Reader, ct, left.Token).ConfigureAwait(false))
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
            await left.CancelAsync().ConfigureAwait(false);
            await ((Task)reading).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>
    /// Reads requests, also while the game waits for a loop or plays many: so a client that leaves then is noticed.
    /// </summary>
    /// <returns>Why there are no more: with what the connection is to be closed.</returns>
    private async Task<(WebSocketCloseStatus Status, string Why)> ReadAsync(
        ChannelWriter<Request> requests, CancellationTokenSource left)
    {
        var reader = new WebSocketMessageReader(socket, LargestRequest);
        try
        {
            while (true)
            {
                switch (await reader.ReadAsync(left.Token).ConfigureAwait(false))
                {
                    case WebSocketMessageType.Close:
                        await left.CancelAsync().ConfigureAwait(false);
                        return (WebSocketCloseStatus.NormalClosure, "");
                    case null:
                        return (WebSocketCloseStatus.MessageTooBig, "request too large");
                }

                await _inFlight.WhenRoomAsync(reader.Message.Length).WaitAsync(left.Token).ConfigureAwait(false);
                var request = Request.Parser.ParseFrom(reader.Message.Span);
                _inFlight.Entered();
                await requests.WriteAsync(request, left.Token).ConfigureAwait(false);
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
            await left.CancelAsync().ConfigureAwait(false);
            throw;
        }
        finally
        {
            requests.TryComplete();
        }
    }

    /// <returns>False where the game is gone.</returns>
    /// <exception cref="GameFailure">The game failed.</exception>
    private async Task<bool> AnswerAsync(ChannelReader<Request> requests, CancellationToken ct, CancellationToken left)
    {
        var output = new ArrayBufferWriter<byte>();
        while (!left.IsCancellationRequested && await requests.WaitToReadAsync(ct).ConfigureAwait(false))
        {
            while (!left.IsCancellationRequested && requests.TryRead(out var request))
            {
                output.ResetWrittenCount();
                var turn = await AskAsync(request, output, left).ConfigureAwait(false);
                EndedGame |= turn is RequestOutcome.Quit or RequestOutcome.Died;
                if (turn is RequestOutcome.Abandoned or RequestOutcome.Died)
                {
                    return turn == RequestOutcome.Abandoned;
                }

                await socket.SendAsync(
                    output.WrittenMemory, WebSocketMessageType.Binary, true, ct).ConfigureAwait(false);
                _inFlight.Left();
                if (turn == RequestOutcome.Quit)
                {
                    return true;
                }
            }
        }

        return true;
    }

    private async ValueTask<RequestOutcome> AskAsync(Request request, ArrayBufferWriter<byte> output, CancellationToken left)
    {
        try
        {
            return await game.AnswerAsync(request, output, left).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is not OperationCanceledException || !left.IsCancellationRequested)
        {
            throw new GameFailure(failure);
        }
    }
}
