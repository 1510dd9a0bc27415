using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>
/// A queue that passes the frames of a bot's observations to the loop that publishes frames. The game may go on when all these frames
/// are published. Thread-safe.
/// </summary>
/// <remarks>
/// If the publishing loop and the bot's next step already wait for a frame, both continue on the thread that adds the frame. So a frame
/// needs no thread switch if no subscriber delays it.
/// </remarks>
internal sealed class FrameHandoff
{
    // The maximum number of frames in the queue; further frames are dropped. The queue can grow in real time, because the game does not
    // wait. The queue can also grow after the bridge has ended the match, because frames are no longer published.
    private const int MostQueuedFrames = 256;

    private readonly Lock _lock = new();
    private readonly Queue<ObservationFrame> _frames = new();
    private readonly TaskCompletionSource<GameException> _failed =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private TaskCompletionSource<ObservationFrame?>? _taker;
    private TaskCompletionSource? _gate;
    private GameException? _failure;
    private int _expectedFrames;
    private bool _hasBegun;
    private bool _hasEnded;
    private bool _isStopped;

    /// <summary>Whether the game's own clock runs the match. If so, the game waits only before the first frame.</summary>
    public bool Realtime { get; set; }

    /// <summary>How the match ended; null before the end.</summary>
    public V1.MatchEnd? End { get; private set; }

    /// <summary>The bot's failure that ended the match; null if the bot did not fail.</summary>
    public BotFault? Fault { get; private set; }

    /// <summary>Completes with the failure when the game fails; never fails itself.</summary>
    public Task<GameException> Failed => _failed.Task;

    /// <summary>Returns the next frame, which the caller releases; null when the match has ended.</summary>
    /// <exception cref="GameException">The game failed. All frames before the failure were returned.</exception>
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

            if (_hasEnded)
            {
                return new((ObservationFrame?)null);
            }

            if (_isStopped)
            {
                return ValueTask.FromException<ObservationFrame?>(Stopped());
            }

            _hasBegun = true;
            _taker = taker = new TaskCompletionSource<ObservationFrame?>();
            gate = OpenGate();
        }

        // Opens the gate for the game only after _taker is set, because the code behind the gate may add the next frame at once.
        gate?.TrySetResult();
        return WaitAsync(taker, ct);
    }

    /// <summary>Waits until the game may be stepped or observed.</summary>
    /// <exception cref="OperationCanceledException">The bridge has ended the match.</exception>
    public ValueTask WhenGameCanContinueAsync()
    {
        lock (_lock)
        {
            if (_isStopped)
            {
                return ValueTask.FromCanceled(new CancellationToken(canceled: true));
            }

            return CanGameContinue ? default : new((_gate ??= new TaskCompletionSource()).Task);
        }
    }

    /// <summary>Call this when an observation is requested.</summary>
    public void ExpectFrame()
    {
        lock (_lock)
        {
            _expectedFrames++;
        }
    }

    /// <summary>Adds the frame of an observation that was requested and has arrived.</summary>
    /// <param name="frame">The frame, which this object takes over; null if the observation gave no frame.</param>
    public void Put(ObservationFrame? frame)
    {
        TaskCompletionSource<ObservationFrame?>? taker = null;
        TaskCompletionSource? gate = null;
        lock (_lock)
        {
            _expectedFrames--;
            if (frame is not null && (_hasEnded || _isStopped || _failure is not null || _frames.Count >= MostQueuedFrames))
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

    /// <summary>Ends the match after the frames that are in the queue. Later calls have no effect.</summary>
    /// <param name="end">How the match ended.</param>
    /// <param name="fault">The bot's failure that ends the match; null if the bot did not fail.</param>
    public void Finish(V1.MatchEnd end, BotFault? fault = null)
    {
        lock (_lock)
        {
            if (_hasEnded || _failure is not null)
            {
                return;
            }

            (_hasEnded, End, Fault) = (true, end, fault);
        }

        CompleteTaker(taker => taker.TrySetResult(null));
    }

    /// <summary>Reports that the game or the bot failed, after the frames that are in the queue. Later calls have no effect.</summary>
    /// <param name="failure">The failure of the match.</param>
    /// <param name="fault">The bot's failure; null if the game failed.</param>
    public void Fail(GameException failure, BotFault? fault = null)
    {
        lock (_lock)
        {
            if (_hasEnded || _failure is not null)
            {
                return;
            }

            (_failure, Fault) = (failure, fault);
        }

        _failed.TrySetResult(failure);
        CompleteTaker(taker => taker.TrySetException(failure));
    }

    /// <summary>Called when the bridge ends the match. No more frames are published.</summary>
    public void Stop()
    {
        TaskCompletionSource? gate;
        lock (_lock)
        {
            _isStopped = true;
            (gate, _gate) = (_gate, null);
            while (_frames.TryDequeue(out var frame))
            {
                frame.Release();
            }
        }

        gate?.TrySetCanceled();
        CompleteTaker(taker => taker.TrySetException(Stopped()));
    }

    // After the end, the game does not wait for frames, because the bot may still observe the last state.
    private bool CanGameContinue => _hasEnded || _failure is not null
        || (Realtime ? _hasBegun : _taker is not null && _expectedFrames == 0);

    private static GameException Stopped() => new("The bridge has ended the match.");

    private static async ValueTask<ObservationFrame?> WaitAsync(TaskCompletionSource<ObservationFrame?> taker, CancellationToken ct)
    {
        using var registration = ct.UnsafeRegister(
            static (waiting, token) => ((TaskCompletionSource<ObservationFrame?>)waiting!).TrySetCanceled(token), taker);
        return await taker.Task.ConfigureAwait(false);
    }

    private TaskCompletionSource? OpenGate()
    {
        if (!CanGameContinue)
        {
            return null;
        }

        var gate = _gate;
        _gate = null;
        return gate;
    }

    private void CompleteTaker(Action<TaskCompletionSource<ObservationFrame?>> complete)
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
            complete(taker);
        }

        gate?.TrySetResult();
    }
}
