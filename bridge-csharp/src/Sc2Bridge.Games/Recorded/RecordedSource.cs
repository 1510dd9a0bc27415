using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Action = System.Action;

namespace Sc2Bridge.Games;

/// <summary>
/// A recording as a game: its observations in their recorded order over all perspectives, and at the end the result
/// that was recorded. It is its own pace, and can be held, moved and paced while it plays, from any thread.
/// </summary>
public sealed class RecordedSource : IGameSource, IPace, IPlayback
{
    private readonly Lock _gate = new();
    private readonly TurnWait _turn;
    private readonly RecordingReader _recording;
    private readonly RecordedResponses _answers;
    private readonly RecordedFrames _frames;
    private readonly RecordedPlay _play;
    private bool _disposed;

    private RecordedSource(RecordingReader recording, RecordedResponses answers, PlaybackOptions options)
    {
        _recording = recording;
        _answers = answers;
        Description = RecordedMatch.Describe(recording, options.Rate);
        GameInfo = RecordedMatch.GameInfo(recording);
        _frames = new RecordedFrames(recording, PlaybackRange.Find(recording, options.From, options.To));
        (RecordedEnd, IsWhole) = RecordedMatch.End(recording, Description, _frames.Range);
        _play = new RecordedPlay(_frames, Description, options);
        _turn = new TurnWait(_gate, _play.DueNs);
    }

    /// <inheritdoc/>
    public MatchDescription Description { get; }

    /// <inheritdoc/>
    public IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo { get; }

    /// <inheritdoc/>
    public MatchEnd? End
    {
        get
        {
            lock (_gate)
            {
                return _play.HasEnded ? RecordedEnd : null;
            }
        }
    }

    /// <summary>The end as it was recorded, or as the playback's range has it; known from the beginning.</summary>
    public MatchEnd RecordedEnd { get; }

    /// <summary>Whether that is the match's: false where the recording ends before its match does.</summary>
    public bool IsWhole { get; }

    /// <inheritdoc/>
    public IPlayback Playback => this;

    /// <summary>Opens a recording.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How it is played.</param>
    /// <exception cref="GameException">It is none that can be played, or not so.</exception>
    public static RecordedSource Open(string path, PlaybackOptions options) =>
        Open(() => RecordingReader.Open(path), options);

    /// <summary>Opens a recording that stands anywhere.</summary>
    /// <param name="open">Opens it; called once more for the answers to requests.</param>
    /// <param name="options">How it is played.</param>
    /// <exception cref="GameException">As of a file.</exception>
    internal static RecordedSource Open(Func<RecordingReader> open, PlaybackOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Rate.Realtime)
        {
            throw new GameException("A recording has no clock of its own: give max, or steps a second.");
        }

        RecordingReader? recording = null;
        try
        {
            recording = open();
            return new RecordedSource(recording, new RecordedResponses(open), options);
        }
        catch (Exception problem)
        {
            recording?.Dispose();
            throw problem is RecordingException damaged ? new GameException(damaged.Message, damaged) : problem;
        }
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async ValueTask WaitAsync(long? lastAskedNs, Action soon, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(soon);
        try
        {
            await _turn.WaitAsync(soon, cancellationToken);
        }
        catch (RecordingException damaged)
        {
            throw new GameException(damaged.Message, damaged);
        }
    }

    /// <inheritdoc/>
    public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await _turn.WaitAsync(static () => { }, cancellationToken);
                lock (_gate)
                {
                    var now = MonotonicClock.NowNs;
                    if (_play.DueNs(now) <= now)
                    {
                        return _play.Give(now);
                    }
                }

                // Held or moved since.
            }
        }
        catch (RecordingException damaged)
        {
            throw new GameException(damaged.Message, damaged);
        }
    }

    /// <inheritdoc/>
    public PlaybackState Control(ControlRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        lock (_gate)
        {
            if (_disposed)
            {
                throw new RequestRefusedException(StatusCode.Unavailable, "the playback is over");
            }

            try
            {
                _play.Obey(request, MonotonicClock.NowNs);
            }
            catch (RecordingException damaged)
            {
                throw new RequestRefusedException(StatusCode.FailedPrecondition, damaged.Message);
            }

            if (request.CommandCase != ControlRequest.CommandOneofCase.None)
            {
                _turn.Changed();
            }

            return _play.State();
        }
    }

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(request);
        ulong step;
        lock (_gate)
        {
            step = _play.At.Step;
        }

        // What was not read of the file yet takes its time.
        return Task.Run(() => Answer(step, perspective, request), ct);
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            if (!_disposed)
            {
                _disposed = true;
                _frames.Dispose();
                _recording.Dispose();
                _answers.Dispose();
                _turn.Dispose();
            }
        }

        return ValueTask.CompletedTask;
    }

    private Response Answer(ulong step, uint perspective, Request request)
    {
        var record = _answers.Find(step, perspective, request) ?? throw new RequestRefusedException(
            StatusCode.FailedPrecondition,
            $"nobody asked this ({request.RequestCase}) within {RecordedResponses.Nearby} steps of step {step} when "
            + $"{_recording.Name} was recorded, and a recording knows no other answers"
            + (_answers.Problem is { } problem ? $" ({problem})" : ""));
        if (record.Response is not { } recorded)
        {
            throw new RequestRefusedException(StatusCode.FailedPrecondition, record.Refusal);
        }

        var response = recorded.Clone();
        response.ClearId();
        if (request.HasId)
        {
            response.Id = request.Id;
        }

        return response;
    }
}
