using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// The client's end of the game's API: requests go out as they come, answers are matched to them in order, and the id
/// that the game echoes is checked. Safe to use from several threads.
/// </summary>
/// <remarks>
/// The game takes a WebSocket ping for a request, so none are sent. A cancelled call's answer is still read (and
/// dropped), or every later one would be off by one. What breaks the connection (bytes that are no answer, a wrong id,
/// a closed socket, silence) fails every call that waits, and every later one, with the same <see cref="GameException"/>.
/// </remarks>
public sealed class GameClient : IAsyncDisposable
{
    private const int KeptWarnings = 100;
    private const int SmallestReceive = 64 * 1024;

    private readonly WebSocket _socket;
    private readonly GameClientOptions _options;
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly Lock _lock = new();
    private readonly Queue<PendingAnswer> _pending = new();
    private readonly Queue<string> _warnings = new();
    private readonly ApiState _state = new();
    private readonly Timer _watchdog;
    private readonly Task _reading;
    private readonly PreparedRequest _observation = new(new Request { Observation = new RequestObservation() });
    private readonly PreparedRequest _foglessObservation =
        new(new Request { Observation = new RequestObservation { DisableFog = true } });
    private PreparedRequest? _step;
    private uint _stepCount;
    private uint _nextId = PreparedRequest.FirstId;
    private int _expectedLength = SmallestReceive;
    private long _heardNs;
    private volatile bool _delivering;
    private volatile bool _explicable = true;
    private GameException? _cause;
    private GameException? _failure;

    /// <summary>A client on an open connection, which it takes over.</summary>
    /// <param name="socket">Open, and sending no keep-alive pings.</param>
    /// <param name="options">How to treat it.</param>
    public GameClient(WebSocket socket, GameClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(options);
        _socket = socket;
        _options = options;
        var period = TimeSpan.FromTicks(Math.Min(TimeSpan.TicksPerSecond, options.RequestTimeout.Ticks / 4));
        _watchdog = new Timer(static client => ((GameClient)client!).WatchForSilence(), this, period, period);
        _reading = ReadAsync();
    }

    /// <summary>The state that the game's last answer told.</summary>
    public Status Status
    {
        get
        {
            lock (_lock)
            {
                return _state.Current;
            }
        }
    }

    /// <summary>True once the match runs on the game's own clock, where <c>step</c> is refused.</summary>
    public bool Realtime
    {
        set
        {
            lock (_lock)
            {
                _state.Realtime = value;
            }
        }
    }

    /// <summary>The last hundred warnings: errors that the game put beside a body.</summary>
    public IReadOnlyList<string> Warnings
    {
        get
        {
            lock (_lock)
            {
                return [.. _warnings];
            }
        }
    }

    /// <summary>Asks, and gives the answer whatever it says.</summary>
    /// <param name="request">Its id, if it has one, comes back in the answer; on the wire the client's own stands.</param>
    /// <param name="cancellationToken">Ends the wait; the answer is still read.</param>
    /// <exception cref="GameRequestException">The request is not allowed in the game's state: it was not sent.</exception>
    /// <exception cref="GameException">The connection is broken.</exception>
    public async Task<Response> ExchangeAsync(Request request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        var answer = await AskAsync(new PreparedRequest(request), inline: false, cancellationToken);
        try
        {
            var response = Response.Parser.ParseFrom(answer.Buffer.Written.Span);
            if (request.HasId)
            {
                response.Id = request.Id;
            }
            else
            {
                response.ClearId();
            }

            return response;
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw Break(new GameException(
                $"The game's answer to {ApiState.NameOf(request.RequestCase)} is not a Response: {malformed.Message} " +
                "Is something else listening there?", malformed));
        }
        finally
        {
            answer.Buffer.Release();
        }
    }

    /// <summary>Asks, and takes an error in the answer for a refusal.</summary>
    /// <inheritdoc cref="ExchangeAsync"/>
    /// <exception cref="GameRequestException">The game refused.</exception>
    public async Task<Response> SendAsync(Request request, CancellationToken cancellationToken)
    {
        var response = await ExchangeAsync(request, cancellationToken);
        AnswerErrors.ThrowIfRefused(request.RequestCase, response);
        return response;
    }

    /// <summary>
    /// An observation as it stands, unparsed. The caller goes on upon the reading thread, and must not block it.
    /// </summary>
    /// <param name="request">Null for the plain observation.</param>
    /// <param name="cancellationToken">Ends the wait; the answer is still read.</param>
    public ValueTask<GameAnswer> ObserveAsync(RequestObservation? request, CancellationToken cancellationToken) =>
        AskAsync(
            request is null ? _observation : new PreparedRequest(new Request { Observation = request }),
            inline: true,
            cancellationToken);

    /// <summary>
    /// Steps and observes in one round trip: both requests go out before either answer is waited for. The caller goes
    /// on upon the reading thread, and must not block it.
    /// </summary>
    /// <param name="count">Game loops to step.</param>
    /// <param name="disableFog">Observe with the fog of war lifted.</param>
    /// <param name="cancellationToken">Ends the wait; the answers are still read.</param>
    public async ValueTask<SteppedAnswer> StepAndObserveAsync(
        uint count, bool disableFog, CancellationToken cancellationToken)
    {
        PendingAnswer step;
        PendingAnswer observation;
        await _sending.WaitAsync(cancellationToken);
        try
        {
            if (_step is null || _stepCount != count)
            {
                _step = new PreparedRequest(new Request { Step = new RequestStep { Count = count } });
                _stepCount = count;
            }

            step = await WriteAsync(_step, inline: true);
            observation = await WriteAsync(disableFog ? _foglessObservation : _observation, inline: true);
        }
        finally
        {
            _sending.Release();
        }

        IReadOnlyList<string> errors;
        try
        {
            var stepped = await step.WaitAsync(cancellationToken);
            errors = stepped.Refused ? stepped.Errors() : [];
            stepped.Buffer.Release();
        }
        catch
        {
            Drop(observation);
            throw;
        }

        // Both were asked with the first write: that is when the game began to work for this observation.
        var answer = await observation.WaitAsync(cancellationToken);
        return new SteppedAnswer(errors, answer with { AskedNs = step.AskedNs });
    }

    /// <summary>Closes the connection; calls that wait fail.</summary>
    public async ValueTask DisposeAsync()
    {
        _explicable = false;
        Break(new GameException("The connection to the game was closed."));
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await _watchdog.DisposeAsync();
        _socket.Dispose();
    }

    // Whoever does not wait for an answer any more must still give its buffer back.
    private static void Drop(PendingAnswer pending)
    {
        if (!pending.TrySetCanceled() && pending.Task.IsCompletedSuccessfully)
        {
            pending.Task.Result.Buffer.Release();
        }
    }

    private async ValueTask<GameAnswer> AskAsync(
        PreparedRequest request, bool inline, CancellationToken cancellationToken)
    {
        PendingAnswer pending;
        await _sending.WaitAsync(cancellationToken);
        try
        {
            pending = await WriteAsync(request, inline);
        }
        finally
        {
            _sending.Release();
        }

        return await pending.WaitAsync(cancellationToken);
    }

    // Called by whoever holds _sending. Not cancellable: half a message would end the connection.
    private async ValueTask<PendingAnswer> WriteAsync(PreparedRequest request, bool inline)
    {
        PendingAnswer pending;
        lock (_lock)
        {
            if (_failure is not null)
            {
                throw _failure;
            }

            if (_state.Refusal(request.Kind) is { } refusal)
            {
                throw new GameRequestException(request.Kind, [refusal]);
            }

            pending = new PendingAnswer(_nextId, request.Kind, MonotonicClock.NowNs, inline);
            _nextId = PreparedRequest.NextId(_nextId);
            _pending.Enqueue(pending);
        }

        try
        {
            await _socket.SendAsync(
                request.WithId(pending.Id), WebSocketMessageType.Binary, endOfMessage: true, CancellationToken.None);
        }
        catch (Exception broken) when (broken is WebSocketException or ObjectDisposedException or
            OperationCanceledException or InvalidOperationException or IOException)
        {
            // The reader finds the connection broken, and fails this call with all others.
            Break(new GameException($"The game's connection broke while {ApiState.NameOf(request.Kind)} was sent.", broken));
        }

        return pending;
    }

    private async Task ReadAsync()
    {
        try
        {
            while (true)
            {
                var buffer = MessageBuffer.Rent(_expectedLength);
                try
                {
                    await ReceiveAsync(buffer);
                }
                catch
                {
                    buffer.Release();
                    throw;
                }

                Deliver(buffer, MonotonicClock.NowNs);
            }
        }
        catch (GameException failure)
        {
            await FailAsync(failure);
        }
        catch (Exception broken) when (broken is WebSocketException or ObjectDisposedException or
            OperationCanceledException or InvalidOperationException or IOException)
        {
            await FailAsync(new GameException($"The game's connection broke{WhileAnswering()}: {Innermost(broken)}", broken));
        }
    }

    private async ValueTask ReceiveAsync(MessageBuffer buffer)
    {
        while (true)
        {
            var memory = buffer.GetMemory(1);
            ValueWebSocketReceiveResult received;
            try
            {
                received = await _socket.ReceiveAsync(memory, CancellationToken.None);
            }
            catch (Exception broken) when (buffer.Length > 0 && broken is WebSocketException or IOException)
            {
                throw new GameException(
                    $"The game closed its connection in the middle of a message{WhileAnswering()}, " +
                    $"after {buffer.Length} bytes: {Innermost(broken)}", broken);
            }

            Volatile.Write(ref _heardNs, MonotonicClock.NowNs);
            if (received.MessageType == WebSocketMessageType.Close)
            {
                throw new GameException($"The game closed its connection{WhileAnswering()}.");
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
                    $"The game's answer is longer than {_options.LongestMessage} bytes{WhileAnswering()}: " +
                    "is something else listening there?");
            }

            if (received.EndOfMessage)
            {
                // So that the next buffer is large enough at once, and shrinks slowly when large answers stop coming.
                _expectedLength = Math.Max(
                    SmallestReceive, Math.Max(buffer.Length + (buffer.Length / 8), _expectedLength - (_expectedLength / 64)));
                return;
            }
        }
    }

    private void Deliver(MessageBuffer buffer, long arrivedNs)
    {
        PendingAnswer pending;
        ResponseSlice slice;
        try
        {
            slice = ResponseSlicer.Slice(buffer.Written.Span);
            lock (_lock)
            {
                pending = Match(slice);
                _pending.Dequeue();
                if (slice.Status is { } status)
                {
                    _state.Observed(status);
                }
            }
        }
        catch (MalformedMessageException malformed)
        {
            buffer.Release();
            throw new GameException(
                $"The game's answer{WhileAnswering()} is not a Response: {malformed.Message} " +
                "Is something else listening there?", malformed);
        }
        catch
        {
            buffer.Release();
            throw;
        }

        var answer = new GameAnswer(buffer, slice, pending.AskedNs, arrivedNs);
        if (slice is { HasErrors: true, BodyField: not 0 })
        {
            Keep(answer.Errors(), pending.Kind);
        }

        _delivering = true;
        if (!pending.TrySetResult(answer))
        {
            buffer.Release();
        }

        Volatile.Write(ref _heardNs, MonotonicClock.NowNs);
        _delivering = false;
    }

    private PendingAnswer Match(ResponseSlice slice)
    {
        if (!_pending.TryPeek(out var pending))
        {
            throw new GameException("The game sent an answer that nothing had asked for: the connection is out of step.");
        }

        var request = ApiState.NameOf(pending.Kind);
        if (slice.Id is { } id && id != pending.Id)
        {
            throw new GameException(
                $"The game answered {request} with id {id} where {pending.Id} was asked: the connection is out of step.");
        }

        if (slice.BodyField != 0 && slice.BodyField != (int)pending.Kind)
        {
            var name = ApiState.NameOf((Request.RequestOneofCase)slice.BodyField);
            throw new GameException($"The game answered {request} with {name}: the connection is out of step.");
        }

        return slice.BodyField != 0 || slice.HasErrors
            ? pending
            : throw new GameException($"The game answered {request} with nothing, not even an error.");
    }

    private void Keep(IReadOnlyList<string> errors, Request.RequestOneofCase request)
    {
        foreach (var error in errors)
        {
            var warning = $"{ApiState.NameOf(request)}: {error}";
            lock (_lock)
            {
                if (_warnings.Count == KeptWarnings)
                {
                    _warnings.Dequeue();
                }

                _warnings.Enqueue(warning);
            }

            _options.Warned?.Invoke(warning);
        }
    }

    private string WhileAnswering()
    {
        lock (_lock)
        {
            return _pending.TryPeek(out var pending) ? $" while {ApiState.NameOf(pending.Kind)} waited for its answer" : "";
        }
    }

    private void WatchForSilence()
    {
        PendingAnswer? oldest;
        lock (_lock)
        {
            _pending.TryPeek(out oldest);
        }

        // While an answer is being handled the game's next one may wait unread: that is not the game's silence.
        if (oldest is null || _delivering)
        {
            return;
        }

        var silentSince = Math.Max(oldest.AskedNs, Volatile.Read(ref _heardNs));
        if (MonotonicClock.NowNs - silentSince > _options.RequestTimeout.TotalNanoseconds)
        {
            _explicable = false;
            Break(new GameException(
                $"The game hangs: no answer to {ApiState.NameOf(oldest.Kind)} in " +
                $"{_options.RequestTimeout.TotalSeconds:0.###} s. End it, and start the match again."));
        }
    }

    // Ends the connection; the reader then fails every call with the first cause.
    private GameException Break(GameException cause)
    {
        Interlocked.CompareExchange(ref _cause, cause, null);
        _socket.Abort();
        return cause;
    }

    private async Task FailAsync(GameException found)
    {
        var failure = Interlocked.CompareExchange(ref _cause, found, null) ?? found;
        _socket.Abort();
        if (_explicable && _options.Explain is not null && await _options.Explain() is { } explanation)
        {
            failure = new GameException($"{failure.Message} {explanation}", failure);
        }

        PendingAnswer[] waiting;
        lock (_lock)
        {
            _failure = failure;
            waiting = [.. _pending];
            _pending.Clear();
        }

        foreach (var pending in waiting)
        {
            pending.TrySetException(failure);
        }
    }

    private static string Innermost(Exception exception)
    {
        while (exception.InnerException is { } inner)
        {
            exception = inner;
        }

        return exception.Message;
    }
}
