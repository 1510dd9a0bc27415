using System.Runtime.ExceptionServices;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>A request whose answer has not arrived.</summary>
/// <param name="Id">The request's id on the wire; null if the request has no id.</param>
/// <param name="Kind">The request's kind.</param>
/// <param name="IsOwn">Whether the client itself made the request. If so, the answer must be of the same kind.</param>
/// <param name="Receiver">Receives the answer.</param>
internal readonly record struct PendingResponse(uint? Id, Kind Kind, bool IsOwn, IResponseReceiver Receiver)
{
    internal long RequestedNs { get; } = MonotonicClock.NowNs;
}

/// <summary>
/// The queue of requests that wait for a game's answers, without I/O. It decides which requests may be sent, and which answer belongs to
/// which request. Thread-safe.
/// </summary>
internal sealed class RequestPipeline
{
    private readonly Lock _lock = new();
    private readonly Queue<PendingResponse> _pending = new();
    private readonly ApiState _state = new();
    private readonly TaskCompletionSource<GameException> _failed =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private uint _nextId = PreparedRequest.FirstId;
    private GameException? _failure;

    /// <inheritdoc cref="GameClient.Status"/>
    internal Status Status
    {
        get
        {
            lock (_lock)
            {
                return _state.Current;
            }
        }
    }

    /// <inheritdoc cref="GameClient.Realtime"/>
    internal bool Realtime
    {
        set
        {
            lock (_lock)
            {
                _state.Realtime = value;
            }
        }
    }

    /// <inheritdoc cref="GameClient.Failed"/>
    internal Task<GameException> Failed => _failed.Task;

    /// <summary>The oldest request without an answer; null if no request waits.</summary>
    internal PendingResponse? Oldest
    {
        get
        {
            lock (_lock)
            {
                return _pending.TryPeek(out var oldest) ? oldest : null;
            }
        }
    }

    /// <summary>Adds a request of the client to the queue. The caller must send this request next.</summary>
    /// <returns>The id with which the request must be sent.</returns>
    /// <exception cref="GameRequestException">The game's state does not allow the request.</exception>
    /// <exception cref="GameException">The pipeline has failed.</exception>
    internal uint EnqueueOwn(Kind kind, IResponseReceiver receiver)
    {
        lock (_lock)
        {
            ThrowIfFailed();
            if (_state.Refusal(kind) is { } refusal)
            {
                throw new GameRequestException(kind, [refusal]);
            }

            var id = _nextId;
            _nextId = PreparedRequest.NextId(id);
            _pending.Enqueue(new PendingResponse(id, kind, IsOwn: true, receiver));
            return id;
        }
    }

    /// <summary>
    /// Adds another client's request to the queue, in any state of the game. The caller must send this request next.
    /// </summary>
    /// <exception cref="GameException">The pipeline has failed.</exception>
    internal void EnqueueForwarded(Kind kind, uint? id, IResponseReceiver receiver)
    {
        lock (_lock)
        {
            ThrowIfFailed();
            _pending.Enqueue(new PendingResponse(id, kind, IsOwn: false, receiver));
        }
    }

    /// <summary>Finds the request that an answer belongs to, and removes it from the queue.</summary>
    /// <param name="buffer">The whole answer.</param>
    /// <param name="observedNs">When the answer's last byte arrived, in nanoseconds of <see cref="MonotonicClock"/>.</param>
    /// <param name="answer">The answer, with the time of its request.</param>
    /// <exception cref="GameException">
    /// The answer does not belong to the oldest request, so the connection cannot be used any more.
    /// </exception>
    internal IResponseReceiver Dequeue(MessageBuffer buffer, long observedNs, out RawResponse answer)
    {
        ResponseSlice slice;
        try
        {
            slice = ResponseSlicer.Slice(buffer.Written.Span);
        }
        catch (MalformedMessageException malformed)
        {
            throw RawResponse.Malformed(malformed, WhileAnswering());
        }

        lock (_lock)
        {
            var pending = PendingFor(slice);
            _pending.Dequeue();
            answer = new RawResponse(buffer, slice, pending.RequestedNs, observedNs);
            return pending.Receiver;
        }
    }

    /// <summary>Fails every waiting request and every later request.</summary>
    internal void Fail(GameException failure)
    {
        PendingResponse[] waiting;
        lock (_lock)
        {
            _failure = failure;
            waiting = [.. _pending];
            _pending.Clear();
        }

        _failed.TrySetResult(failure);
        foreach (var pending in waiting)
        {
            pending.Receiver.Fail(failure);
        }
    }

    /// <summary>Names the oldest request, as the end of a sentence: " while … waited for its answer". Empty if no request waits.</summary>
    internal string WhileAnswering() =>
        Oldest is { } pending ? $" while {ApiState.NameOf(pending.Kind)} waited for its answer" : "";

    private void ThrowIfFailed()
    {
        if (_failure is not null)
        {
            // Keeps the stack trace of the original failure.
            ExceptionDispatchInfo.Throw(_failure);
        }
    }

    // The caller holds the lock. If the answer does not fit the oldest request, that request stays in the queue and fails with all others.
    private PendingResponse PendingFor(ResponseSlice slice)
    {
        if (!_pending.TryPeek(out var pending))
        {
            throw new GameException("The game sent an answer without a request: the connection is out of step.");
        }

        if (Mismatch(pending, slice) is { } mismatch)
        {
            throw new GameException($"The game answered {ApiState.NameOf(pending.Kind)} {mismatch}");
        }

        if (slice.Status is { } status)
        {
            _state.RecordStatus(status);
        }

        return pending;
    }

    private static string? Mismatch(PendingResponse pending, ResponseSlice slice)
    {
        if (slice.Id is { } id && id != pending.Id)
        {
            var asked = pending.Id is { } own ? $"expected {own}" : "expected none";
            return $"with id {id} ({asked}): the connection is out of step.";
        }

        if (slice.BodyField == 0)
        {
            return slice.HasErrors || !pending.IsOwn ? null : "with neither a body nor an error.";
        }

        return slice.BodyField == (int)pending.Kind
            ? null
            : $"with {ApiState.NameOf((Kind)slice.BodyField)}: the connection is out of step.";
    }
}
