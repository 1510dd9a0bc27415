using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The client's end of the game's API: requests go out as they come, answers are matched to them in order, and the id
/// that the game echoes is checked. Safe to use from several threads.
/// </summary>
/// <remarks>
/// The game takes a WebSocket ping for a request, so none are sent. A cancelled call's answer is still read (and
/// dropped), or every later one would be off by one. What breaks the connection (bytes that are no answer, a wrong id,
/// a closed socket, silence) fails every call that waits, and every later one, with the same
/// <see cref="GameException"/>.
/// </remarks>
public sealed class GameClient : IAsyncDisposable
{
    private readonly RequestPipeline _pipeline = new();
    private readonly GameConnection _connection;
    private readonly PreparedRequest _observation = new(new Request { Observation = new RequestObservation() });
    private readonly PreparedRequest _foglessObservation =
        new(new Request { Observation = new RequestObservation { DisableFog = true } });

    private PreparedRequest? _step;

    /// <summary>A client on an open connection, which it takes over.</summary>
    /// <param name="socket">Open, and sending no keep-alive pings.</param>
    /// <param name="options">How to treat it.</param>
    public GameClient(WebSocket socket, GameClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(options);
        _connection = new GameConnection(socket, options, _pipeline);
    }

    /// <summary>The state that the game's last answer told.</summary>
    public Status Status => _pipeline.Status;

    /// <summary>True once the match runs on the game's own clock, where <c>step</c> is refused.</summary>
    public bool Realtime
    {
        set => _pipeline.Realtime = value;
    }

    /// <summary>Whether the connection is broken: every call fails.</summary>
    public bool IsBroken => Failed.IsCompleted;

    /// <summary>Completes with the cause when the connection is broken; never fails.</summary>
    public Task<GameException> Failed => _pipeline.Failed;

    /// <summary>
    /// Since when an answer of the game's has been due, in nanoseconds of <see cref="Streaming.MonotonicClock"/>; null
    /// where none is.
    /// </summary>
    public long? WaitingSinceNs => _pipeline.Oldest?.RequestedNs;

    /// <summary>
    /// Since when all other clients of the match wait, in nanoseconds of <see cref="Streaming.MonotonicClock"/>;
    /// <see cref="long.MaxValue"/> while one of them does not wait. Until then the game cannot join or step, so it does not
    /// hang. Null if no other client plays. A game that is kept has other clients in each match.
    /// </summary>
    public Func<long>? OthersWaitSinceNs
    {
        set => _connection.Watch.OthersWaitSinceNs = value;
    }

    /// <summary>
    /// Asks, and gives the answer whatever it says. What was asked earlier goes out earlier, steps and observations
    /// too; the caller of an action goes on upon the reading thread, before the observation after it is heard of.
    /// </summary>
    /// <param name="request">
    /// Its id, if it has one, comes back in the answer; on the wire the client's own stands.
    /// </param>
    /// <param name="cancellationToken">Ends the wait; the answer is still read.</param>
    /// <exception cref="GameRequestException">
    /// The request is not allowed in the game's state: it was not sent.
    /// </exception>
    /// <exception cref="GameException">The connection is broken.</exception>
    public async Task<Response> ExchangeAsync(Request request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        var answer = await AskAsync(
            new PreparedRequest(request),
            inline: request.RequestCase == Request.RequestOneofCase.Action,
            cancellationToken);
        var response = Read(answer, static whole => whole.Parse());
        response.ClearId();
        if (request.HasId)
        {
            response.Id = request.Id;
        }

        return response;
    }

    /// <summary>Asks, and takes an error in the answer for a refusal.</summary>
    /// <inheritdoc cref="ExchangeAsync"/>
    /// <exception cref="GameRequestException">The game refused.</exception>
    public async Task<Response> SendAsync(Request request, CancellationToken cancellationToken)
    {
        var response = await ExchangeAsync(request, cancellationToken);
        ResponseErrors.ThrowIfRefused(request.RequestCase, response);
        return response;
    }

    /// <summary>
    /// Passes a request of somebody else's on as it stands, id and all, in any state of the game: what the game makes of
    /// it is the answer. It goes out in the order of the calls, those for the client's own requests too.
    /// </summary>
    /// <param name="request">The serialized <c>Request</c>; not changed until this is done.</param>
    /// <param name="kind">What it asks.</param>
    /// <param name="id">Its id, which the answer must bear; null where it has none.</param>
    /// <param name="taker">Gets the answer as it came, upon the reading thread.</param>
    /// <param name="cancellationToken">Gives up waiting for its turn to be sent.</param>
    /// <returns>Completes when it is sent.</returns>
    /// <exception cref="GameException">The connection is broken; the taker is not told.</exception>
    public ValueTask PassAsync(
        ReadOnlyMemory<byte> request, Request.RequestOneofCase kind, uint? id, IResponseReceiver taker,
        CancellationToken cancellationToken) => _connection.PassAsync(request, kind, id, taker, cancellationToken);

    /// <summary>Passes a request on as it stands (<see cref="PassAsync"/>), and gives the answer.</summary>
    /// <exception cref="GameException">The connection is broken, or the answer is not a <c>Response</c>.</exception>
    public async Task<Response> ExchangeAsItStandsAsync(Request request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        var answer = new AwaitedResponse(inline: false);
        await PassAsync(request.ToByteArray(), request.RequestCase, request.HasId ? request.Id : null, answer, cancellationToken);
        return Read(await answer.WaitAsync(cancellationToken), static whole => whole.Parse());
    }

    /// <summary>
    /// An observation as it stands, unparsed. The caller goes on upon the reading thread, and must not block it.
    /// </summary>
    /// <param name="request">Null for the plain observation.</param>
    /// <param name="cancellationToken">Ends the wait; the answer is still read.</param>
    public ValueTask<RawResponse> ObserveAsync(RequestObservation? request, CancellationToken cancellationToken) =>
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
    /// <returns>What the game refused the step with, and the answer, whose buffer the receiver releases.</returns>
    public async ValueTask<(IReadOnlyList<string> StepErrors, RawResponse Observation)> StepAndObserveAsync(
        uint count, bool disableFog, CancellationToken cancellationToken)
    {
        // Made once for as long as steps stay as long; two callers at once may each make theirs.
        var request = _step;
        if (request is null || request.Message.Step.Count != count)
        {
            _step = request = new PreparedRequest(new Request { Step = new RequestStep { Count = count } });
        }

        var (step, observation) = await _connection.SendAsync(
            request, disableFog ? _foglessObservation : _observation, inline: true, cancellationToken);
        try
        {
            var stepped = await step.WaitAsync(cancellationToken);
            var errors = Read(stepped, static answer => answer.Refused ? answer.Errors() : []);

            // Both were asked with the first write: that is when the game began to work for this observation.
            return (errors, await observation!.WaitAsync(cancellationToken) with { RequestedNs = stepped.RequestedNs });
        }
        catch
        {
            observation!.Drop();
            throw;
        }
    }

    /// <summary>Closes the connection; calls that wait fail.</summary>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private async ValueTask<RawResponse> AskAsync(
        PreparedRequest request, bool inline, CancellationToken cancellationToken)
    {
        var (pending, _) = await _connection.SendAsync(request, null, inline, cancellationToken);
        return await pending.WaitAsync(cancellationToken);
    }

    // Gives the buffer back. An answer that cannot be read ends the connection.
    private T Read<T>(RawResponse answer, Func<RawResponse, T> read)
    {
        try
        {
            return read(answer);
        }
        catch (GameException malformed)
        {
            _connection.Break(malformed);
            throw;
        }
        finally
        {
            answer.Buffer.Release();
        }
    }
}

/// <summary>
/// A serialized request whose id is patched in place, so that a request made every step is serialized once.
/// </summary>
/// <remarks>
/// The id stands last: so it overrides an id that the request has already. Ids from 2^28 up take five bytes as a
/// varint, so its place never moves.
/// </remarks>
internal sealed class PreparedRequest
{
    /// <summary>The smallest id of five bytes.</summary>
    internal const uint FirstId = 1u << 28;

    private const int IdLength = 5;
    private readonly byte[] _bytes;
    private readonly int _idAt;

    internal PreparedRequest(Request request)
    {
        (Message, Kind) = (request, request.RequestCase);
        var tag = WireFormat.MakeTag(Request.IdFieldNumber, WireFormat.WireType.Varint);
        var body = request.CalculateSize();
        _idAt = body + WireWriter.VarintSize(tag);
        _bytes = new byte[_idAt + IdLength];
        request.WriteTo(_bytes.AsSpan(0, body));
        WireWriter.WriteVarint(_bytes.AsSpan(body), tag);
    }

    /// <summary>The request; not to be changed.</summary>
    internal Request Message { get; }

    internal Request.RequestOneofCase Kind { get; }

    /// <summary>The bytes under an id; good until the next call.</summary>
    internal ReadOnlyMemory<byte> WithId(uint id)
    {
        WireWriter.WriteVarint(_bytes.AsSpan(_idAt), id);
        return _bytes;
    }

    /// <summary>The id after this one.</summary>
    internal static uint NextId(uint id) => id == uint.MaxValue ? FirstId : id + 1;
}
