using System.Net.WebSockets;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>
/// A client of the game's API. It sends requests in the order of the calls, assigns the answers to the requests in the same order, and
/// checks the id that the game echoes. Thread-safe.
/// </summary>
/// <remarks>
/// The client sends no WebSocket pings, because the game treats a ping as a request. Answers are assigned by their order, so the answer to
/// a cancelled call is still read, and then dropped. If the connection fails (a malformed answer, a wrong id, a closed socket, silence),
/// all waiting calls and all later calls fail with the same <see cref="GameException"/>.
/// </remarks>
public sealed class GameClient : IAsyncDisposable
{
    private readonly RequestPipeline _pipeline = new();
    private readonly GameConnection _connection;
    private readonly PreparedRequest _observationRequest = new(new Request { Observation = new RequestObservation() });
    private readonly PreparedRequest _foglessObservationRequest =
        new(new Request { Observation = new RequestObservation { DisableFog = true } });

    private PreparedRequest? _stepRequest;

    /// <summary>Takes over an open connection.</summary>
    /// <param name="socket">The open WebSocket, which sends no keep-alive pings.</param>
    /// <param name="options">The limits of the connection.</param>
    public GameClient(WebSocket socket, GameClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(socket);
        ArgumentNullException.ThrowIfNull(options);
        _connection = new GameConnection(socket, options, _pipeline);
    }

    /// <summary>The game's state, as its newest answer reports it.</summary>
    public Status Status => _pipeline.Status;

    /// <summary>True if the match runs on the game's own clock. The client then refuses <c>step</c>.</summary>
    public bool Realtime
    {
        set => _pipeline.Realtime = value;
    }

    /// <summary>Whether the connection is broken. If so, every call fails.</summary>
    public bool IsBroken => Failed.IsCompleted;

    /// <summary>Completes with the cause when the connection is broken; never fails.</summary>
    public Task<GameException> Failed => _pipeline.Failed;

    /// <summary>
    /// The time at which the oldest unanswered request was sent, in nanoseconds of <see cref="Streaming.MonotonicClock"/>; null if every
    /// request was answered.
    /// </summary>
    public long? WaitingSinceNs => _pipeline.Oldest?.RequestedNs;

    /// <summary>
    /// Returns since when all other clients of the match wait, in nanoseconds of <see cref="Streaming.MonotonicClock"/>;
    /// <see cref="long.MaxValue"/> if any of them does not wait. The game cannot join or step before all clients wait, so it does not count
    /// as hanging before. The function is null if no other client plays. A game that plays several matches gets a new function for each.
    /// </summary>
    public Func<long>? OthersWaitSinceNs
    {
        set => _connection.Watch.OthersWaitSinceNs = value;
    }

    /// <summary>
    /// Sends a request and returns the answer, even if the answer is an error. Requests, steps and observations are sent in the order of
    /// the calls. After an action, the caller continues on the thread that reads the answers, before the next observation is handled.
    /// </summary>
    /// <param name="request">
    /// The request. If it has an id, the returned answer has the same id. On the wire, this object uses an id of its own.
    /// </param>
    /// <param name="cancellationToken">Ends the wait. The answer is still read.</param>
    /// <exception cref="GameRequestException">
    /// The game's state does not allow the request, so the request was not sent.
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

    /// <summary>Sends a request and throws if the answer is an error.</summary>
    /// <inheritdoc cref="ExchangeAsync"/>
    /// <exception cref="GameRequestException">The game refused the request.</exception>
    public async Task<Response> SendAsync(Request request, CancellationToken cancellationToken)
    {
        var response = await ExchangeAsync(request, cancellationToken);
        ResponseErrors.ThrowIfRefused(request.RequestCase, response);
        return response;
    }

    /// <summary>
    /// Forwards another client's request unchanged, with its id, in any state of the game. The game decides whether the request is valid.
    /// Forwarded requests and this object's own requests are sent in the order of the calls.
    /// </summary>
    /// <param name="request">The serialized <c>Request</c>. It must not change until the returned task completes.</param>
    /// <param name="kind">The request's kind.</param>
    /// <param name="id">The request's id, which the answer must repeat; null if the request has no id.</param>
    /// <param name="receiver">Receives the unchanged answer, on the reading thread.</param>
    /// <param name="cancellationToken">Cancels the wait for earlier requests to be sent.</param>
    /// <returns>A task that completes when the request is sent.</returns>
    /// <exception cref="GameException">The connection is broken. The receiver is not called.</exception>
    public ValueTask ForwardAsync(
        ReadOnlyMemory<byte> request, Request.RequestOneofCase kind, uint? id, IResponseReceiver receiver,
        CancellationToken cancellationToken) => _connection.ForwardAsync(request, kind, id, receiver, cancellationToken);

    /// <summary>Forwards a request unchanged (<see cref="ForwardAsync"/>) and returns the answer.</summary>
    /// <exception cref="GameException">The connection is broken, or the answer is not a <c>Response</c>.</exception>
    public async Task<Response> ExchangeUnchangedAsync(Request request, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        var answer = new AwaitedResponse(inline: false);
        await ForwardAsync(request.ToByteArray(), request.RequestCase, request.HasId ? request.Id : null, answer, cancellationToken);
        return Read(await answer.WaitAsync(cancellationToken), static whole => whole.Parse());
    }

    /// <summary>
    /// Returns an unparsed observation. The caller continues on the thread that reads the answers and must not block that thread.
    /// </summary>
    /// <param name="request">The request; null for an observation without options.</param>
    /// <param name="cancellationToken">Ends the wait. The answer is still read.</param>
    public ValueTask<RawResponse> ObserveAsync(RequestObservation? request, CancellationToken cancellationToken) =>
        AskAsync(
            request is null ? _observationRequest : new PreparedRequest(new Request { Observation = request }),
            inline: true,
            cancellationToken);

    /// <summary>
    /// Steps and observes in one round trip: both requests are sent before the first answer arrives. The caller continues on
    /// the thread that reads the answers and must not block that thread.
    /// </summary>
    /// <param name="count">Game loops to step.</param>
    /// <param name="disableFog">Whether to observe without the fog of war.</param>
    /// <param name="cancellationToken">Ends the wait. The answers are still read.</param>
    /// <returns>The errors of the step, and the observation. The caller releases the observation's buffer.</returns>
    public async ValueTask<(IReadOnlyList<string> StepErrors, RawResponse Observation)> StepAndObserveAsync(
        uint count, bool disableFog, CancellationToken cancellationToken)
    {
        // The request is reused while the number of game loops stays the same. Two concurrent callers may each create a request.
        var request = _stepRequest;
        if (request is null || request.Message.Step.Count != count)
        {
            _stepRequest = request = new PreparedRequest(new Request { Step = new RequestStep { Count = count } });
        }

        var (step, observation) = await _connection.SendAsync(
            request, disableFog ? _foglessObservationRequest : _observationRequest, inline: true, cancellationToken);
        try
        {
            var stepped = await step.WaitAsync(cancellationToken);
            var errors = Read(stepped, static answer => answer.Refused ? answer.Errors() : []);

            // The time of the step's request counts for the observation too, because the game begins to make the observation then.
            return (errors, await observation!.WaitAsync(cancellationToken) with { RequestedNs = stepped.RequestedNs });
        }
        catch
        {
            observation!.Drop();
            throw;
        }
    }

    /// <summary>Closes the connection. Waiting calls fail.</summary>
    public ValueTask DisposeAsync() => _connection.DisposeAsync();

    private async ValueTask<RawResponse> AskAsync(
        PreparedRequest request, bool inline, CancellationToken cancellationToken)
    {
        var (pending, _) = await _connection.SendAsync(request, null, inline, cancellationToken);
        return await pending.WaitAsync(cancellationToken);
    }

    // Releases the buffer. An answer that cannot be parsed breaks the connection.
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
/// A request that is serialized once. Before each sending, its id is replaced in the serialized bytes.
/// </summary>
/// <remarks>
/// The id is the last field, so it overrides an id that the request already has. Ids start at 2^28, so that each id takes five bytes as a
/// varint and can replace the previous id.
/// </remarks>
internal sealed class PreparedRequest
{
    /// <summary>The smallest id that this class uses. As a varint, it takes five bytes.</summary>
    internal const uint FirstId = 1u << 28;

    private const int IdLength = 5;
    private readonly byte[] _bytes;
    private readonly int _idOffset;

    internal PreparedRequest(Request request)
    {
        (Message, Kind) = (request, request.RequestCase);
        var tag = WireFormat.MakeTag(Request.IdFieldNumber, WireFormat.WireType.Varint);
        var body = request.CalculateSize();
        _idOffset = body + WireWriter.VarintSize(tag);
        _bytes = new byte[_idOffset + IdLength];
        request.WriteTo(_bytes.AsSpan(0, body));
        WireWriter.WriteVarint(_bytes.AsSpan(body), tag);
    }

    /// <summary>The request. It must not be changed.</summary>
    internal Request Message { get; }

    internal Request.RequestOneofCase Kind { get; }

    /// <summary>The serialized request with this id. The bytes are valid until the next call.</summary>
    internal ReadOnlyMemory<byte> WithId(uint id)
    {
        WireWriter.WriteVarint(_bytes.AsSpan(_idOffset), id);
        return _bytes;
    }

    internal static uint NextId(uint id) => id == uint.MaxValue ? FirstId : id + 1;
}
