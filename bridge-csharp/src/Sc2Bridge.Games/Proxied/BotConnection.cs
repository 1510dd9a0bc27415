using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>A bot's connection. The bot's requests go to the game as they arrive, and the answers go back in the same order.</summary>
/// <param name="connection">The connection to the bot. Its owner disposes it.</param>
/// <param name="match">The bot's match.</param>
/// <param name="onServed">Called when the bot is no longer served.</param>
internal sealed class BotConnection(WebSocket connection, ProxiedMatch match, System.Action onServed)
    : IServedClient, IDisposable
{
    private readonly BotSocket _socket = new(connection);
    private readonly InFlightRequests _inFlight = new();
    private TimeSpan _thinkingTime;
    private long _waitingSinceNs;
    private volatile bool _isWaiting;

    /// <inheritdoc/>
    public bool HasEndedGame => false;

    private static long NowNs => MonotonicClock.NowNs;

    /// <inheritdoc/>
    public async Task ServeAsync(CancellationToken gone, CancellationToken ct)
    {
        using var serviceCancellation = CancellationTokenSource.CreateLinkedTokenSource(ct, _socket.Closing);
        try
        {
            if (match.Joined.IsCompleted)
            {
                await CloseAsync(WebSocketCloseStatus.PolicyViolation, "the match already has a bot, or is over")
                    .ConfigureAwait(false);
                await _socket.DrainAsync(serviceCancellation.Token).ConfigureAwait(false);
            }
            else
            {
                await PlayAsync(gone, serviceCancellation.Token).ConfigureAwait(false);
            }
        }
        finally
        {
            // Removes the continuation of game.Failed, which would keep this connection in memory while the game runs.
            await serviceCancellation.CancelAsync().ConfigureAwait(false);
            onServed();
            Dispose();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    /// <summary>Closes the bot's connection. If called several times, only the first reason is sent.</summary>
    public Task CloseAsync(WebSocketCloseStatus status, string why) => _socket.CloseAsync(status, why);

    /// <summary>Called when the bot has got the answer to a request, or when the game will not answer the request.</summary>
    internal void OnAnswered()
    {
        Volatile.Write(ref _waitingSinceNs, NowNs);
        _inFlight.Remove();
    }

    // Also reads the last requests of a bot that has disconnected, because one of them may be a Quit, with which the bot leaves the game.
    private async Task PlayAsync(CancellationToken gone, CancellationToken ct)
    {
        using var watchdog = StartWatchdog();
        var (how, kind) = ("closed its connection without leaving the game", BotFaultKind.Disconnected);
        try
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(gone, ct);
            var game = await match.Game.WaitAsync(either.Token).ConfigureAwait(false);
            _ = game.Failed.ContinueWith(
                failed => FailAsync(failed.Result), ct, TaskContinuationOptions.None, TaskScheduler.Default);
            if (await ReadAsync(game, ct).ConfigureAwait(false) is { } mistake)
            {
                (how, kind) = (mistake, BotFaultKind.InvalidRequest);
            }
        }
        catch (InvalidProtocolBufferException garbage)
        {
            (how, kind) = ($"sent bytes that are not a Request ({garbage.Message.TrimEnd('.')})", BotFaultKind.InvalidRequest);
            await CloseAsync(WebSocketCloseStatus.InvalidPayloadData, "not a Request").ConfigureAwait(false);
        }
        catch (GameException failure)
        {
            await FailAsync(failure).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (gone.IsCancellationRequested || ct.IsCancellationRequested)
        {
        }
        catch (Exception defect)
        {
            // After any error, the match must not wait for a bot whose requests are no longer read.
            await FailAsync(new GameException($"The bridge failed: {defect.Message}", defect) { Fault = GameFault.BridgeFailed }).ConfigureAwait(false);
        }

        await CloseAsync(WebSocketCloseStatus.NormalClosure, "").ConfigureAwait(false);
        await _socket.DrainAsync(ct).ConfigureAwait(false);

        // Waits for the remaining answers: their observations still go to the agents, and an answer may report how the match ended.
        await _inFlight.WhenIdleAsync().ConfigureAwait(false);
        match.OnDisconnected(how, kind);
    }

    private Task FailAsync(GameException failure)
    {
        match.Frames.Fail(failure);
        return CloseAsync(WebSocketCloseStatus.InternalServerError, failure.Message);
    }

    // Returns null if the bot closed its connection; otherwise what the bot did, as the end of the sentence "the bot …".
    private async Task<string?> ReadAsync(GameClient game, CancellationToken ct)
    {
        while (true)
        {
            Volatile.Write(ref _waitingSinceNs, NowNs);
            _isWaiting = true;
            if (await _socket.ReceiveAsync(ct).ConfigureAwait(false) is { } why)
            {
                return why.Length > 0 ? why : null;
            }

            _isWaiting = false;
            var receivedNs = NowNs;
            if (_socket.IsClosed)
            {
                return null;
            }

            if (_inFlight.IsIdle && match.GameLoop > 0)
            {
                // No request was in flight, so the bot was thinking during this time.
                var thoughtNs = receivedNs - Volatile.Read(ref _waitingSinceNs);
                _thinkingTime += TimeSpan.FromTicks(thoughtNs / 100);
                match.Times.AddBot(thoughtNs);
            }

            var request = Request.Parser.ParseFrom(_socket.Message.Span);
            if (!await HandleAsync(game, request, _socket.Message, receivedNs, ct).ConfigureAwait(false))
            {
                return "left";
            }
        }
    }

    // Returns false if the bot has quit.
    private async Task<bool> HandleAsync(
        GameClient game, Request request, ReadOnlyMemory<byte> bytes, long receivedNs, CancellationToken ct)
    {
        var kind = request.RequestCase;

        // The answers to earlier requests decide whether and how these requests are forwarded.
        var needsEarlierAnswers = kind is Kind.CreateGame or Kind.JoinGame or Kind.LeaveGame or Kind.Quit;
        await (needsEarlierAnswers ? _inFlight.WhenIdleAsync() : _inFlight.WhenBelowLimitAsync(bytes.Length)).ConfigureAwait(false);

        var refusal = match.Refusal(request);
        if (refusal is null && kind == Kind.JoinGame)
        {
            await match.CreateIfMissingAsync(game, ct).ConfigureAwait(false);
            receivedNs = NowNs; // the creation of the match does not count as a delay by the bridge
        }
        else if (refusal is null && kind == Kind.Step)
        {
            refusal = match.Judge(_thinkingTime, match.Frames.Realtime)?.Why;
        }

        if (refusal is not null)
        {
            await _inFlight.WhenIdleAsync().ConfigureAwait(false);
            var error = new Response { Error = { refusal }, Status = game.Status };
            await _socket.SendAsync(BotRequest.Serialize(request, error)).ConfigureAwait(false);
            return true;
        }

        var heldNs = 0L;
        if (match.Joined.IsCompleted && kind is Kind.Step or Kind.Observation)
        {
            var since = NowNs;
            await match.Frames.WhenGameCanContinueAsync().ConfigureAwait(false);
            heldNs = NowNs - since;
        }

        await ForwardAsync(game, new BotRequest(this, match, _socket, request, receivedNs), bytes, heldNs, ct).ConfigureAwait(false);
        if (kind is Kind.JoinGame or Kind.Quit)
        {
            // Later requests depend on the answer to this one.
            await _inFlight.WhenIdleAsync().ConfigureAwait(false);
        }

        return kind != Kind.Quit;
    }

    private async ValueTask ForwardAsync(
        GameClient game, BotRequest forwarded, ReadOnlyMemory<byte> bytes, long heldNs, CancellationToken ct)
    {
        var request = forwarded.Message;
        var kind = request.RequestCase;
        uint? id = request.HasId ? request.Id : null;
        if (match.Rules.ReplacementFor(request, game.Status) is { } replacement)
        {
            (bytes, kind, id) = (replacement.ToByteArray(), replacement.RequestCase, replacement.HasId ? replacement.Id : null);
        }

        if (kind == Kind.Observation)
        {
            match.Frames.ExpectFrame();
        }

        _inFlight.Add();
        try
        {
            await game.ForwardAsync(bytes, kind, id, forwarded, ct).ConfigureAwait(false);
        }
        catch (Exception problem)
        {
            forwarded.Fail((problem as GameException)?.Message ?? "it was not sent to the game");
            throw;
        }

        forwarded.OnSent(heldNs);
    }

    private Timer StartWatchdog()
    {
        var patience = match.Options.Patience;
        var period = TimeSpan.FromTicks(Math.Min(TimeSpan.TicksPerSecond, patience.Ticks / 4));
        return new Timer(
            _ =>
            {
                var now = NowNs;
                if (_socket.SendingSinceNs is > 0 and var sending && now - sending > patience.TotalNanoseconds)
                {
                    match.Abort($"has read nothing for {patience.TotalSeconds:0.#} s", BotFaultKind.Hung);
                    _socket.Abort();
                }
                else if (match.Joined.IsCompleted && _isWaiting && _inFlight.IsIdle
                    && now - Volatile.Read(ref _waitingSinceNs) > patience.TotalNanoseconds)
                {
                    match.Abort($"has sent no request for {patience.TotalSeconds:0.#} s", BotFaultKind.Hung);
                    _ = CloseAsync(WebSocketCloseStatus.PolicyViolation, "no request for too long");
                }
            },
            null, period, period);
    }
}
