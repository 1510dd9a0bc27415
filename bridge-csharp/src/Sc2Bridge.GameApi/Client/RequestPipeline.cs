using System.Runtime.ExceptionServices;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.GameApi;

/// <summary>
/// The requests to a game, without I/O: which requests may be sent, and which answer belongs to which. Safe to
/// use from several threads.
/// </summary>
/// <param name="warned">Told of every warning: an error that the game put beside a body.</param>
internal sealed class RequestPipeline(Action<string>? warned)
{
    private const int KeptWarnings = 100;

    private readonly Lock _lock = new();
    private readonly Queue<PendingResponse> _pending = new();
    private readonly Queue<string> _warnings = new();
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

    /// <inheritdoc cref="GameClient.Warnings"/>
    internal IReadOnlyList<string> Warnings
    {
        get
        {
            lock (_lock)
            {
                return [.. _warnings];
            }
        }
    }

    /// <summary>Whether it has failed, and nothing can be asked any more.</summary>
    internal bool HasFailed
    {
        get
        {
            lock (_lock)
            {
                return _failure is not null;
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

    /// <summary>Puts a request in line; it must be sent next.</summary>
    /// <exception cref="GameRequestException">The game's state forbids it.</exception>
    /// <exception cref="GameException">The pipeline has failed.</exception>
    internal AwaitedResponse Ask(Request.RequestOneofCase kind, bool inline)
    {
        lock (_lock)
        {
            ThrowIfFailed();
            if (_state.Refusal(kind) is { } refusal)
            {
                throw new GameRequestException(kind, [refusal]);
            }

            var pending = new AwaitedResponse(_nextId, kind, inline);
            _nextId = PreparedRequest.NextId(_nextId);
            _pending.Enqueue(pending);
            return pending;
        }
    }

    /// <summary>
    /// Puts a request of somebody else's in line, whatever the game will say to it; it must be sent next.
    /// </summary>
    /// <exception cref="GameException">The pipeline has failed.</exception>
    internal PassedRequest Pass(Request.RequestOneofCase kind, uint? id, IResponseReceiver taker)
    {
        lock (_lock)
        {
            ThrowIfFailed();
            var pending = new PassedRequest(id, kind, taker);
            _pending.Enqueue(pending);
            return pending;
        }
    }

    /// <summary>
    /// Gives an answer to the task that waits for it; the buffer goes with it, or back to its pool. The next one may be
    /// given when this is done.
    /// </summary>
    /// <exception cref="GameException">
    /// It is no answer to what was asked; the connection is of no use any more.
    /// </exception>
    internal ValueTask AnsweredAsync(MessageBuffer buffer, long observedNs)
    {
        RawResponse answer;
        PendingResponse pending;
        try
        {
            var slice = Slice(buffer);
            pending = Match(slice);
            answer = new RawResponse(buffer, slice, pending.RequestedNs, observedNs);
            if (pending.IsOwn && slice is { HasErrors: true, BodyField: not 0 })
            {
                Keep(answer, pending.Kind);
            }
        }
        catch
        {
            buffer.Release();
            throw;
        }

        // It stays in line up to here, so that whatever goes wrong before fails it with all others.
        lock (_lock)
        {
            _pending.Dequeue();
        }

        return pending.GiveAsync(answer);
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

        foreach (var pending in waiting)
        {
            pending.Fail(failure);
        }

        _failed.TrySetResult(failure);
    }

    /// <summary>What was going on, as the end of a clause; empty where nothing was.</summary>
    internal string WhileAnswering() =>
        Oldest is { } pending ? $" while {ApiState.NameOf(pending.Kind)} waited for its answer" : "";

    private void ThrowIfFailed()
    {
        if (_failure is not null)
        {
            ExceptionDispatchInfo.Throw(_failure);
        }
    }

    private ResponseSlice Slice(MessageBuffer buffer)
    {
        try
        {
            return ResponseSlicer.Slice(buffer.Written.Span);
        }
        catch (MalformedMessageException malformed)
        {
            throw new GameException(
                $"The game's answer{WhileAnswering()} is not a Response: {malformed.Message} " +
                "Is something else listening there?", malformed);
        }
    }

    private PendingResponse Match(ResponseSlice slice)
    {
        lock (_lock)
        {
            if (!_pending.TryPeek(out var pending))
            {
                throw new GameException(
                    "The game sent an answer that nothing had asked for: the connection is out of step.");
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
            : $"with {ApiState.NameOf((Request.RequestOneofCase)slice.BodyField)}: the connection is out of step.";
    }

    private void Keep(RawResponse answer, Request.RequestOneofCase request)
    {
        foreach (var error in answer.Errors())
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

            warned?.Invoke(warning);
        }
    }
}
