using System.Net.WebSockets;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The socket of a <see cref="RequestPipeline"/>. It sends requests. It reads answers on its own thread, even if no task waits for an
/// answer. If the connection fails, all requests of the pipeline fail.
/// </summary>
internal sealed class GameConnection : IAsyncDisposable
{
    private const int SmallestReceive = 64 * 1024;

    private readonly WebSocket _socket;
    private readonly GameClientOptions _options;
    private readonly RequestPipeline _pipeline;

    // First in, first out: requests are sent in the order of the calls.
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly TaskCompletionSource _readerEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _expectedLength = SmallestReceive;
    private long _lastDataNs;
    private volatile bool _isDelivering;
    private volatile bool _canExplain = true;
    private GameException? _cause;

    internal GameConnection(WebSocket socket, GameClientOptions options, RequestPipeline pipeline)
    {
        (_socket, _options, _pipeline) = (socket, options, pipeline);
        Watch = new SilenceWatch(pipeline, options, () => _isDelivering ? null : Volatile.Read(ref _lastDataNs), Break);
        new Thread(ReadAnswers) { IsBackground = true, Name = "game's answers" }.Start();
    }

    /// <summary>Breaks the connection if the game hangs.</summary>
    internal SilenceWatch Watch { get; }

    /// <summary>Sends one request or two, after the requests of earlier calls.</summary>
    /// <returns>The expected answers. If <paramref name="inline"/>, the task that waits for them continues on the thread that reads the answers.</returns>
    internal async ValueTask<(AwaitedResponse First, AwaitedResponse? Second)> SendAsync(
        PreparedRequest first, PreparedRequest? second, bool inline, CancellationToken ct)
    {
        await _sending.WaitAsync(ct);
        try
        {
            var firstAnswer = await WriteAsync(first, inline);
            try
            {
                return (firstAnswer, second is null ? null : await WriteAsync(second, inline));
            }
            catch
            {
                firstAnswer.Drop();
                throw;
            }
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <inheritdoc cref="GameClient.ForwardAsync"/>
    internal async ValueTask ForwardAsync(
        ReadOnlyMemory<byte> request, Kind kind, uint? id, IResponseReceiver receiver, CancellationToken ct)
    {
        await _sending.WaitAsync(ct);
        try
        {
            _pipeline.EnqueueForwarded(kind, id, receiver);
            await WriteAsync(kind, request);
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Ends the connection. The thread that reads the answers then fails every request. Only the first call sets the cause.</summary>
    internal void Break(GameException cause)
    {
        Interlocked.CompareExchange(ref _cause, cause, null);
        _socket.Abort();
    }

    /// <summary>Closes the connection. Waiting calls fail.</summary>
    public async ValueTask DisposeAsync()
    {
        _canExplain = false;
        Break(new GameException("The connection to the game was closed."));
        await _readerEnded.Task;
        await Watch.DisposeAsync();
        _socket.Dispose();
    }

    // The caller holds _sending.
    private async ValueTask<AwaitedResponse> WriteAsync(PreparedRequest request, bool inline)
    {
        var answer = new AwaitedResponse(inline);
        await WriteAsync(request.Kind, request.WithId(_pipeline.EnqueueOwn(request.Kind, answer)));
        return answer;
    }

    // Cannot be cancelled, because half a message would break the connection.
    private async ValueTask WriteAsync(Kind kind, ReadOnlyMemory<byte> request)
    {
        try
        {
            await _socket.SendAsync(request, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
        }
        catch (Exception broken) when (BrokenConnection.Is(broken))
        {
            // The thread that reads the answers notices the broken connection, and fails this call and all other calls.
            Break(new GameException($"The game's connection broke while {ApiState.NameOf(kind)} was sent.", broken)
            {
                Fault = GameFault.Disconnected,
            });
        }
    }

    // Blocks a dedicated thread, because a thread of the pool needs longer to wake up for each answer.
    private void ReadAnswers()
    {
        try
        {
            while (true)
            {
                var buffer = MessageBuffer.Rent(_expectedLength);
                IResponseReceiver receiver;
                RawResponse answer;
                try
                {
                    Receive(buffer);
                    receiver = _pipeline.Dequeue(buffer, MonotonicClock.NowNs, out answer);
                }
                catch
                {
                    buffer.Release();
                    throw;
                }

                _isDelivering = true;
                GameStream.Wait(receiver.ReceiveAsync(answer));
                Volatile.Write(ref _lastDataNs, MonotonicClock.NowNs);
                _isDelivering = false;
            }
        }
        catch (Exception failure)
        {
            // Every failure ends the pipeline, so that no call waits for ever.
            _ = EndAsync(failure as GameException ?? new GameException(
                BrokenConnection.Is(failure)
                    ? $"The game's connection broke{_pipeline.WhileAnswering()}: {BrokenConnection.Cause(failure)}"
                    : $"Reading the game's answers failed: {failure.Message}",
                failure)
            {
                Fault = BrokenConnection.Is(failure) ? GameFault.Disconnected : GameFault.BridgeFailed,
            });
        }
    }

    private void Receive(MessageBuffer buffer)
    {
        while (true)
        {
            var memory = buffer.GetMemory(1);
            ValueWebSocketReceiveResult received;
            try
            {
                received = GameStream.Wait(_socket.ReceiveAsync(memory, CancellationToken.None));
            }
            catch (Exception broken) when (buffer.Length > 0 && broken is WebSocketException or IOException)
            {
                throw new GameException(
                    $"The game closed its connection in the middle of a message{_pipeline.WhileAnswering()}, " +
                    $"after {buffer.Length} bytes: {BrokenConnection.Cause(broken)}", broken)
                {
                    Fault = GameFault.Disconnected,
                };
            }

            Volatile.Write(ref _lastDataNs, MonotonicClock.NowNs);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                throw new GameException($"The game closed its connection{_pipeline.WhileAnswering()}.") { Fault = GameFault.Disconnected };
            }

            if (received.MessageType == WebSocketMessageType.Text)
            {
                throw new GameException(
                    "The game sent text, but its API sends binary messages: is something else listening there?");
            }

            buffer.Advance(received.Count);
            if (buffer.Length > _options.LongestMessage)
            {
                throw new GameException(
                    $"The game's answer is longer than {_options.LongestMessage} bytes" +
                    $"{_pipeline.WhileAnswering()}: is something else listening there?");
            }

            if (received.EndOfMessage)
            {
                // The next buffer is large enough for an answer of this size. After a large answer, the size of new buffers shrinks slowly.
                var roomy = buffer.Length + (buffer.Length / 8);
                _expectedLength = Math.Max(SmallestReceive, Math.Max(roomy, _expectedLength - (_expectedLength / 64)));
                return;
            }
        }
    }

    private async Task EndAsync(GameException found)
    {
        var failure = Interlocked.CompareExchange(ref _cause, found, null) ?? found;
        _socket.Abort();
        try
        {
            // The process of a game that hangs still runs, because its end would have broken the connection. So Explain would wait in vain.
            if (_canExplain && _options.Explain is not null
                && (Watch.HasHung ? new GameExit(null, "Its process still runs.") : await _options.Explain()) is var (code, explanation))
            {
                failure = new GameException($"{failure.Message} {explanation}", failure) { Fault = failure.Fault, ExitCode = code };
            }
        }
        finally
        {
            _pipeline.Fail(failure);
            _readerEnded.SetResult();
        }
    }
}
