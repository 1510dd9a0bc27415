using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// Plays a recording to agents. It returns the observations of all perspectives in their recorded order and, at the end,
/// the recorded result.
/// </summary>
public sealed class RecordedSource : PlaybackSource, IGameSource
{
    private readonly RecordingReader _recording;
    private readonly RecordedAnswers _answers;
    private readonly RecordedFrames _frames;
    private readonly RecordedPlay _play;

    private RecordedSource(RecordingReader recording, RecordedAnswers answers, PlaybackOptions options)
    {
        _recording = recording;
        _answers = answers;
        Description = RecordedMatch.Describe(recording, options.Rate);
        GameInfo = RecordedMatch.GameInfo(recording);
        _frames = new RecordedFrames(recording, PlaybackRange.Find(recording, options.From, options.To));
        (RecordedEnd, IsComplete) = RecordedMatch.End(recording, Description, _frames.Range);
        _play = new RecordedPlay(_frames, Description, options);
    }

    /// <inheritdoc/>
    public override MatchDescription Description { get; }

    /// <inheritdoc/>
    public IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo { get; }

    /// <inheritdoc/>
    public override MatchEnd? End
    {
        get
        {
            lock (Gate)
            {
                return _play.HasEnded ? RecordedEnd : null;
            }
        }
    }

    /// <inheritdoc/>
    public IPlayback Playback => this;

    /// <inheritdoc/>
    private protected override SteppedPlay Play => _play;

    /// <summary>How the playback will end: like the recorded match, or at the end of the range. The value is known from the beginning.</summary>
    public MatchEnd RecordedEnd { get; }

    /// <summary>
    /// Whether the played range is complete up to <see cref="RecordedEnd"/>: false if the recording ends before its match does.
    /// </summary>
    public bool IsComplete { get; }

    /// <summary>Opens a recording.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How the recording is played.</param>
    /// <exception cref="GameException">The recording cannot be played, or cannot be played with these options.</exception>
    public static RecordedSource Open(string path, PlaybackOptions options) =>
        Open(() => RecordingReader.Open(path), options);

    /// <summary>Opens a recording with a function.</summary>
    /// <param name="open">Opens the recording. Called again to read the recorded answers to requests.</param>
    /// <param name="options">How the recording is played.</param>
    /// <exception cref="GameException">The recording cannot be played, or cannot be played with these options.</exception>
    internal static RecordedSource Open(Func<RecordingReader> open, PlaybackOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Rate.Realtime)
        {
            throw new GameException("Real time is not possible, because a recording has no clock of its own: give max, or a number of steps a second.");
        }

        RecordingReader? recording = null;
        try
        {
            recording = open();
            return new RecordedSource(recording, new RecordedAnswers(() => Requests(open)), options);
        }
        catch (RecordingException damaged)
        {
            recording?.Dispose();
            throw new GameException(damaged.Message, damaged);
        }
        catch
        {
            recording?.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public override async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await WhenDueAsync(_play.TakeDueFrame, cancellationToken);
        }
        catch (RecordingException damaged)
        {
            throw new GameException(damaged.Message, damaged);
        }
    }

    /// <inheritdoc/>
    public override Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(request);
        ulong step;
        lock (Gate)
        {
            step = _play.CurrentStep.Step;
        }

        // Runs on another thread, because the search for the answer may read more of the file, which takes time.
        return Task.Run(() => Answer(step, perspective, request), ct);
    }

    /// <inheritdoc/>
    private protected override ValueTask CloseAsync()
    {
        lock (Gate)
        {
            _frames.Dispose();
            _recording.Dispose();
            _answers.Dispose();
        }

        return ValueTask.CompletedTask;
    }

    // Uses a reader of its own, so that the thread that plays the recording does not wait for this method.
    private static IEnumerable<RequestRecord> Requests(Func<RecordingReader> open)
    {
        using var recording = open();
        foreach (var record in recording.Requests())
        {
            yield return record;
        }
    }

    private Response Answer(ulong step, uint perspective, Request request)
    {
        var record = _answers.Find(step, perspective, request) ?? throw new RequestRefusedException(
            StatusCode.FailedPrecondition,
            $"no agent sent this request ({request.RequestCase}) within {RecordedAnswers.NearbySteps} steps of step {step} when "
            + $"{_recording.Name} was recorded, and a recording has no other answers"
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
