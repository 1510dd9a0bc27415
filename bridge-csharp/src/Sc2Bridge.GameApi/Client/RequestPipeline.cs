using System.Runtime.ExceptionServices;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>A request that was sent and whose answer has not come.</summary>
/// <param name="Id">Its id on the wire; null if it has none.</param>
/// <param name="Kind">Its kind.</param>
/// <param name="IsOwn">Whether it is the client's own, whose answer is held to what was asked.</param>
/// <param name="Receiver">Takes the answer.</param>
internal readonly record struct PendingResponse(uint? Id, Kind Kind, bool IsOwn, IResponseReceiver Receiver)
{
    internal long RequestedNs { get; } = MonotonicClock.NowNs;
}

/// <summary>
/// The requests to a game, without I/O: which requests may be sent, and which answer belongs to which. Safe to
/// use from several threads.
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

    /// <summary>The request whose answer has been due for longest.</summary>
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

    /// <summary>Puts a request of the client's own in line; it must be sent next.</summary>
    /// <returns>The id to send it under.</returns>
    /// <exception cref="GameRequestException">The game's state forbids it.</exception>
    /// <exception cref="GameException">The pipeline has failed.</exception>
    internal uint Ask(Kind kind, IResponseReceiver receiver)
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
    /// Puts a request of somebody else's in line, whatever the game will say to it; it must be sent next.
    /// </summary>
    /// <exception cref="GameException">The pipeline has failed.</exception>
    internal void Pass(Kind kind, uint? id, IResponseReceiver receiver)
    {
        lock (_lock)
        {
            ThrowIfFailed();
            _pending.Enqueue(new PendingResponse(id, kind, IsOwn: false, receiver));
        }
    }

    /// <summary>Finds the request that an answer belongs to, and takes it out of the line.</summary>
    /// <param name="buffer">The whole answer.</param>
    /// <param name="observedNs">When its last byte was there.</param>
    /// <param name="answer">What the request is to be given.</param>
    /// <exception cref="GameException">
    /// It is no answer to what was asked; the connection is of no use any more.
    /// </exception>
    internal IResponseReceiver Take(MessageBuffer buffer, long observedNs, out RawResponse answer)
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
            var pending = Match(slice);
            _pending.Dequeue();
            answer = new RawResponse(buffer, slice, pending.RequestedNs, observedNs);
            return pending.Receiver;
        }
    }

    /// <summary>Fails every request in line, and every later one.</summary>
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

    /// <summary>What was going on, as the end of a clause; empty where nothing was.</summary>
    internal string WhileAnswering() =>
        Oldest is { } pending ? $" while {ApiState.NameOf(pending.Kind)} waited for its answer" : "";

    private void ThrowIfFailed()
    {
        if (_failure is not null)
        {
            // With the stack of the failure, not of a later call.
            ExceptionDispatchInfo.Throw(_failure);
        }
    }

    // The caller holds the lock. A request that the answer does not fit stays in line, and fails with the others.
    private PendingResponse Match(ResponseSlice slice)
    {
        if (!_pending.TryPeek(out var pending))
        {
            throw new GameException("The game sent an answer that nothing had asked for: the connection is out of step.");
        }

        if (Misfit(pending, slice) is { } misfit)
        {
            throw new GameException($"The game answered {ApiState.NameOf(pending.Kind)} {misfit}");
        }

        if (slice.Status is { } status)
        {
            _state.Observed(status);
        }

        return pending;
    }

    private static string? Misfit(PendingResponse pending, ResponseSlice slice)
    {
        if (slice.Id is { } id && id != pending.Id)
        {
            var asked = pending.Id is { } own ? $"{own} was asked" : "none was asked for";
            return $"with id {id} where {asked}: the connection is out of step.";
        }

        if (slice.BodyField == 0)
        {
            return slice.HasErrors || !pending.IsOwn ? null : "with nothing, not even an error.";
        }

        return slice.BodyField == (int)pending.Kind
            ? null
            : $"with {ApiState.NameOf((Kind)slice.BodyField)}: the connection is out of step.";
    }
}
