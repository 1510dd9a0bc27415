using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.Games;

/// <summary>A bot's requests go to the game as they come, and the answers back in their order.</summary>
/// <param name="connection">To the bot; its owner disposes it.</param>
/// <param name="match">What the bot plays.</param>
/// <param name="served">Told when it was served.</param>
internal sealed class BotConnection(WebSocket connection, ProxiedMatch match, System.Action served)
    : IServedClient, IDisposable
{
    private readonly BotSocket _socket = new(connection);
    private readonly InFlightRequests _inFlight = new();
    private TimeSpan _thought;
    private long _waitingSinceNs;
    private volatile bool _waiting;

    /// <inheritdoc/>
    public bool EndedGame => false;

    private static long NowNs => MonotonicClock.NowNs;

    /// <inheritdoc/>
    public async Task ServeAsync(CancellationToken gone, CancellationToken ct)
    {
        using var cut = CancellationTokenSource.CreateLinkedTokenSource(ct, _socket.Closing);
        try
        {
            if (match.Joined.IsCompleted)
            {
                await CloseAsync(WebSocketCloseStatus.PolicyViolation, "the match has its bot, or is over")
                    .ConfigureAwait(false);
                await _socket.DrainAsync(cut.Token).ConfigureAwait(false);
            }
            else
            {
                await PlayAsync(gone, cut.Token).ConfigureAwait(false);
            }
        }
        finally
        {
            // The game outlives this connection, and must not hold it.
            await cut.CancelAsync().ConfigureAwait(false);
            served();
            Dispose();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    /// <summary>Closes the bot's connection; the first reason counts.</summary>
    public Task CloseAsync(WebSocketCloseStatus status, string why) => _socket.CloseAsync(status, why);

    /// <summary>The bot has the answer to a request, or the game will not answer.</summary>
    internal void Done()
    {
        Volatile.Write(ref _waitingSinceNs, NowNs);
        _inFlight.Left();
    }

    // A bot that asks to quit and closes has quit: what it sent is read although it is gone.
    private async Task PlayAsync(CancellationToken gone, CancellationToken ct)
    {
        using var watchdog = Watch();
        var how = "closed its connection without leaving the game";
        try
        {
            using var either = CancellationTokenSource.CreateLinkedTokenSource(gone, ct);
            var game = await match.Game.WaitAsync(either.Token).ConfigureAwait(false);
            _ = game.Failed.ContinueWith(
                failed => FailAsync(failed.Result), ct, TaskContinuationOptions.None, TaskScheduler.Default);
            how = await ReadAsync(game, ct).ConfigureAwait(false) ?? how;
        }
        catch (InvalidProtocolBufferException garbage)
        {
            how = $"sent what is no Request ({garbage.Message.TrimEnd('.')})";
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
            // Whatever it is, the match must not wait for a bot that is no longer read from.
            await FailAsync(new GameException($"The bridge failed: {defect.Message}", defect)).ConfigureAwait(false);
        }

        await CloseAsync(WebSocketCloseStatus.NormalClosure, "").ConfigureAwait(false);
        await _socket.DrainAsync(ct).ConfigureAwait(false);

        // What the game still answers goes to the other agents, and may tell how the match ended.
        await _inFlight.WhenIdleAsync().ConfigureAwait(false);
        match.Gone(how);
    }

    private Task FailAsync(GameException failure)
    {
        match.Frames.Fail(failure);
        return CloseAsync(WebSocketCloseStatus.InternalServerError, failure.Message);
    }

    // Null where the bot closed its connection; else how it went.
    private async Task<string?> ReadAsync(GameClient game, CancellationToken ct)
    {
        while (true)
        {
            Volatile.Write(ref _waitingSinceNs, NowNs);
            _waiting = true;
            if (await _socket.ReceiveAsync(ct).ConfigureAwait(false) is { } why)
            {
                return why.Length > 0 ? why : null;
            }

            _waiting = false;
            var receivedNs = NowNs;
            if (_socket.IsClosed)
            {
                return null;
            }

            if (_inFlight.IsIdle && match.GameLoop > 0)
            {
                // The game waited only for the bot: this was its own time.
                _thought += TimeSpan.FromTicks((receivedNs - Volatile.Read(ref _waitingSinceNs)) / 100);
            }

            var request = Request.Parser.ParseFrom(_socket.Message.Span);
            if (!await HandleAsync(game, request, _socket.Message, receivedNs, ct).ConfigureAwait(false))
            {
                return "left";
            }
        }
    }

    // False where the bot has quit.
    private async Task<bool> HandleAsync(
        GameClient game, Request request, ReadOnlyMemory<byte> bytes, long receivedNs, CancellationToken ct)
    {
        var kind = request.RequestCase;

        // Requests of these kinds depend on the answers to earlier ones.
        var isAlone = kind is Kind.CreateGame or Kind.JoinGame or Kind.LeaveGame or Kind.Quit;
        await (isAlone ? _inFlight.WhenIdleAsync() : _inFlight.WhenRoomAsync(bytes.Length)).ConfigureAwait(false);

        var refusal = match.Refusal(request);
        if (refusal is null && kind == Kind.JoinGame)
        {
            await match.CreateFirstAsync(game, ct).ConfigureAwait(false);
            receivedNs = NowNs; // creating is the game's work
        }
        else if (refusal is null && kind == Kind.Step)
        {
            refusal = match.Judge(_thought, match.Frames.Realtime)?.Why;
        }

        if (refusal is not null)
        {
            await _inFlight.WhenIdleAsync().ConfigureAwait(false);
            var error = new Response { Error = { refusal }, Status = game.Status };
            await _socket.SendAsync(BotRequest.Answer(request, error)).ConfigureAwait(false);
            return true;
        }

        var heldNs = 0L;
        if (match.Joined.IsCompleted && kind is Kind.Step or Kind.Observation)
        {
            var since = NowNs;
            await match.Frames.WhenFreeAsync().ConfigureAwait(false);
            heldNs = NowNs - since;
        }

        await PassAsync(game, new BotRequest(this, match, _socket, request, receivedNs), bytes, heldNs, ct).ConfigureAwait(false);
        if (kind is Kind.JoinGame or Kind.Quit)
        {
            // What comes after it depends upon its answer.
            await _inFlight.WhenIdleAsync().ConfigureAwait(false);
        }

        return kind != Kind.Quit;
    }

    private async ValueTask PassAsync(
        GameClient game, BotRequest passed, ReadOnlyMemory<byte> bytes, long heldNs, CancellationToken ct)
    {
        var request = passed.Asked;
        var kind = request.RequestCase;
        uint? id = request.HasId ? request.Id : null;
        if (match.Rules.InPlaceOf(request, game.Status) is { } other)
        {
            (bytes, kind, id) = (other.ToByteArray(), other.RequestCase, other.HasId ? other.Id : null);
        }

        if (kind == Kind.Observation)
        {
            match.Frames.Expect();
        }

        _inFlight.Entered();
        try
        {
            await game.PassAsync(bytes, kind, id, passed, ct).ConfigureAwait(false);
        }
        catch (Exception problem)
        {
            passed.Fail((problem as GameException)?.Message ?? "it was not passed on");
            throw;
        }

        passed.Sent(heldNs);
    }

    private Timer Watch()
    {
        var patience = match.Options.Patience;
        var period = TimeSpan.FromTicks(Math.Min(TimeSpan.TicksPerSecond, patience.Ticks / 4));
        return new Timer(
            _ =>
            {
                var now = NowNs;
                if (_socket.SendingSinceNs is > 0 and var sending && now - sending > patience.TotalNanoseconds)
                {
                    match.Abort($"has read nothing for {patience.TotalSeconds:0.#} s");
                    _socket.Abort();
                }
                else if (match.Joined.IsCompleted && _waiting && _inFlight.IsIdle
                    && now - Volatile.Read(ref _waitingSinceNs) > patience.TotalNanoseconds)
                {
                    match.Abort($"has asked for nothing for {patience.TotalSeconds:0.#} s");
                    _ = CloseAsync(WebSocketCloseStatus.PolicyViolation, "nothing was asked for too long");
                }
            },
            null, period, period);
    }
}
