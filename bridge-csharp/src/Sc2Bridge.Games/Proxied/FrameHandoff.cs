using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// Hands the frames that a bot asked for to the publisher, in order, and completes when the game may go on: when all of
/// them are published. Any thread may call any member.
/// </summary>
/// <remarks>
/// The publisher continues on the thread that brings the frame, and the bot's next step on the publisher's, so that a
/// frame that no subscriber holds back costs no change of threads.
/// </remarks>
internal sealed class FrameHandoff
{
    // In real time nothing holds the game: after the bridge has ended the match, when frames are no longer published,
    // frames beyond this number are dropped.
    private const int MostWaiting = 256;

    private readonly Lock _lock = new();
    private readonly Queue<ObservationFrame> _frames = new();
    private readonly TaskCompletionSource<GameException> _failed =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private TaskCompletionSource<ObservationFrame?>? _taker;
    private TaskCompletionSource? _gate;
    private GameException? _failure;
    private int _expected;
    private bool _began;
    private bool _ended;
    private bool _stopped;

    /// <summary>Whether the game's own clock runs the match: then it is held before the first frame only.</summary>
    public bool Realtime { get; set; }

    /// <summary>How the match ended; null until it has.</summary>
    public V1.MatchEnd? End { get; private set; }

    /// <summary>Completes with the failure when the game fails; never fails itself.</summary>
    public Task<GameException> Failed => _failed.Task;

    /// <summary>The next frame, held by the caller; null when the match has ended.</summary>
    /// <exception cref="GameException">The game failed, after all its frames.</exception>
    public ValueTask<ObservationFrame?> NextAsync(CancellationToken ct)
    {
        TaskCompletionSource<ObservationFrame?> taker;
        TaskCompletionSource? gate;
        lock (_lock)
        {
            if (_frames.TryDequeue(out var frame))
            {
                return new(frame);
            }

            if (_failure is not null)
            {
                return ValueTask.FromException<ObservationFrame?>(_failure);
            }

            if (_ended)
            {
                return new((ObservationFrame?)null);
            }

            if (_stopped)
            {
                return ValueTask.FromException<ObservationFrame?>(Stopped());
            }

            _began = true;
            _taker = taker = new TaskCompletionSource<ObservationFrame?>();
            gate = OpenGate();
        }

        // After the taker is in place: what goes on there may bring the next frame.
        gate?.TrySetResult();
        return WaitAsync(taker, ct);
    }

    /// <summary>Completes when the game may be stepped or observed.</summary>
    /// <exception cref="OperationCanceledException">The bridge has ended the match.</exception>
    public ValueTask WhenFreeAsync()
    {
        lock (_lock)
        {
            if (_stopped)
            {
                return ValueTask.FromCanceled(new CancellationToken(canceled: true));
            }

            return IsFree ? default : new((_gate ??= new TaskCompletionSource()).Task);
        }
    }

    /// <summary>An observation is asked for.</summary>
    public void Expect()
    {
        lock (_lock)
        {
            _expected++;
        }
    }

    /// <summary>An observation that was asked for has come.</summary>
    /// <param name="frame">Its frame, which is taken over; null where it makes none.</param>
    public void Put(ObservationFrame? frame)
    {
        TaskCompletionSource<ObservationFrame?>? taker = null;
        TaskCompletionSource? gate = null;
        lock (_lock)
        {
            _expected--;
            if (frame is not null && (_ended || _stopped || _failure is not null || _frames.Count >= MostWaiting))
            {
                frame.Release();
                frame = null;
            }

            if (frame is not null)
            {
                (taker, _taker) = (_taker, null);
                if (taker is null)
                {
                    _frames.Enqueue(frame);
                }
            }

            gate = OpenGate();
        }

        if (taker is not null && !taker.TrySetResult(frame))
        {
            frame!.Release();
        }

        gate?.TrySetResult();
    }

    /// <summary>The match has ended, after the frames so far. The first end counts.</summary>
    public void Finish(V1.MatchEnd end)
    {
        lock (_lock)
        {
            if (_ended || _failure is not null)
            {
                return;
            }

            (_ended, End) = (true, end);
        }

        LetGo(taker => taker.TrySetResult(null));
    }

    /// <summary>The game failed, after the frames so far.</summary>
    public void Fail(GameException failure)
    {
        lock (_lock)
        {
            if (_ended || _failure is not null)
            {
                return;
            }

            _failure = failure;
        }

        _failed.TrySetResult(failure);
        LetGo(taker => taker.TrySetException(failure));
    }

    /// <summary>The bridge ends the match: nobody takes frames any more.</summary>
    public void Stop()
    {
        TaskCompletionSource? gate;
        lock (_lock)
        {
            _stopped = true;
            (gate, _gate) = (_gate, null);
            while (_frames.TryDequeue(out var frame))
            {
                frame.Release();
            }
        }

        gate?.TrySetCanceled();
        LetGo(taker => taker.TrySetException(Stopped()));
    }

    // Ended, nobody is waited for any more: the bot may still look at what was.
    private bool IsFree => _ended || _failure is not null
        || (Realtime ? _began : _taker is not null && _expected == 0);

    private static GameException Stopped() => new("The bridge has ended the match.");

    private static async ValueTask<ObservationFrame?> WaitAsync(TaskCompletionSource<ObservationFrame?> taker, CancellationToken ct)
    {
        using var registration = ct.UnsafeRegister(
            static (waiting, token) => ((TaskCompletionSource<ObservationFrame?>)waiting!).TrySetCanceled(token), taker);
        return await taker.Task.ConfigureAwait(false);
    }

    private TaskCompletionSource? OpenGate()
    {
        if (!IsFree)
        {
            return null;
        }

        var gate = _gate;
        _gate = null;
        return gate;
    }

    private void LetGo(Action<TaskCompletionSource<ObservationFrame?>> tell)
    {
        TaskCompletionSource<ObservationFrame?>? taker;
        TaskCompletionSource? gate;
        lock (_lock)
        {
            (taker, _taker) = (_taker, null);
            gate = OpenGate();
        }

        if (taker is not null)
        {
            tell(taker);
        }

        gate?.TrySetResult();
    }
}
