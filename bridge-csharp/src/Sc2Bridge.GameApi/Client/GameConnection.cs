using System.Net.WebSockets;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The socket under a <see cref="RequestPipeline"/>: sends requests, reads answers on a thread of its own, also if
/// no task waits for them, and fails the pipeline when the connection does.
/// </summary>
internal sealed class GameConnection : IAsyncDisposable
{
    private const int SmallestReceive = 64 * 1024;

    private readonly WebSocket _socket;
    private readonly GameClientOptions _options;
    private readonly RequestPipeline _pipeline;

    // Serves those who wait in the order in which they came, so that requests go out in the order of the calls.
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly TaskCompletionSource _read = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _expectedLength = SmallestReceive;
    private long _heardNs;
    private volatile bool _delivering;
    private volatile bool _explicable = true;
    private GameException? _cause;

    internal GameConnection(WebSocket socket, GameClientOptions options, RequestPipeline pipeline)
    {
        (_socket, _options, _pipeline) = (socket, options, pipeline);
        Watch = new SilenceWatch(pipeline, options, () => _delivering ? null : Volatile.Read(ref _heardNs), Break);
        new Thread(Read) { IsBackground = true, Name = "game's answers" }.Start();
    }

    /// <summary>Breaks the connection if the game hangs.</summary>
    internal SilenceWatch Watch { get; }

    /// <summary>Sends one request or two, after the requests of earlier calls.</summary>
    /// <returns>Their answers to come; with <paramref name="inline"/>, the task that waits continues on the reading thread.</returns>
    internal async ValueTask<(AwaitedResponse First, AwaitedResponse? Second)> SendAsync(
        PreparedRequest first, PreparedRequest? second, bool inline, CancellationToken ct)
    {
        await _sending.WaitAsync(ct);
        try
        {
            var asked = await WriteAsync(first, inline);
            try
            {
                return (asked, second is null ? null : await WriteAsync(second, inline));
            }
            catch
            {
                asked.Drop();
                throw;
            }
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <inheritdoc cref="GameClient.PassAsync"/>
    internal async ValueTask PassAsync(
        ReadOnlyMemory<byte> request, Kind kind, uint? id, IResponseReceiver taker, CancellationToken ct)
    {
        await _sending.WaitAsync(ct);
        try
        {
            _pipeline.Pass(kind, id, taker);
            await WriteAsync(kind, request);
        }
        finally
        {
            _sending.Release();
        }
    }

    /// <summary>Ends the connection; the reader then fails every call with the first cause.</summary>
    internal void Break(GameException cause)
    {
        Interlocked.CompareExchange(ref _cause, cause, null);
        _socket.Abort();
    }

    /// <summary>Closes the connection; calls that wait fail.</summary>
    public async ValueTask DisposeAsync()
    {
        _explicable = false;
        Break(new GameException("The connection to the game was closed."));
        await _read.Task;
        await Watch.DisposeAsync();
        _socket.Dispose();
    }

    // The caller holds _sending.
    private async ValueTask<AwaitedResponse> WriteAsync(PreparedRequest request, bool inline)
    {
        var answer = new AwaitedResponse(inline);
        await WriteAsync(request.Kind, request.WithId(_pipeline.Ask(request.Kind, answer)));
        return answer;
    }

    // Not cancellable: half a message would end the connection.
    private async ValueTask WriteAsync(Kind kind, ReadOnlyMemory<byte> request)
    {
        try
        {
            await _socket.SendAsync(request, WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
        }
        catch (Exception broken) when (BrokenConnection.Is(broken))
        {
            // The reader finds the connection broken, and fails this call with all others.
            Break(new GameException($"The game's connection broke while {ApiState.NameOf(kind)} was sent.", broken));
        }
    }

    // Waits where it is: a thread that the pool must find first would be woken later, for every answer.
    private void Read()
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
                    receiver = _pipeline.Take(buffer, MonotonicClock.NowNs, out answer);
                }
                catch
                {
                    buffer.Release();
                    throw;
                }

                _delivering = true;
                GameStream.Wait(receiver.TakeAsync(answer));
                Volatile.Write(ref _heardNs, MonotonicClock.NowNs);
                _delivering = false;
            }
        }
        catch (Exception failure)
        {
            // Whatever it is, nobody may wait for ever for what is not read any more.
            _ = EndAsync(failure as GameException ?? new GameException(
                BrokenConnection.Is(failure)
                    ? $"The game's connection broke{_pipeline.WhileAnswering()}: {BrokenConnection.Cause(failure)}"
                    : $"Reading the game's answers failed: {failure.Message}",
                failure));
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
                    $"after {buffer.Length} bytes: {BrokenConnection.Cause(broken)}", broken);
            }

            Volatile.Write(ref _heardNs, MonotonicClock.NowNs);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                throw new GameException($"The game closed its connection{_pipeline.WhileAnswering()}.");
            }

            if (received.MessageType == WebSocketMessageType.Text)
            {
                throw new GameException(
                    "The game sent text where its API sends binary messages: is something else listening there?");
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
                // So that the next buffer is large enough at once, and shrinks slowly when large answers stop coming.
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
            // Of a process that is gone the connection would have broken; once it is ended here, it may go by itself.
            if (_explicable && _options.Explain is not null
                && (Watch.HasHung ? "Its process still runs." : await _options.Explain()) is { } explanation)
            {
                failure = new GameException($"{failure.Message} {explanation}", failure);
            }
        }
        finally
        {
            _pipeline.Fail(failure);
            _read.SetResult();
        }
    }
}
