using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>
/// A recording as a game: its observations in their recorded order over all perspectives, and at the end the result
/// that was recorded.
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
        (RecordedEnd, IsWhole) = RecordedMatch.End(recording, Description, _frames.Range);
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

    /// <summary>The end as it was recorded, or as the playback's range has it; known from the beginning.</summary>
    public MatchEnd RecordedEnd { get; }

    /// <summary>Whether that is the match's: false where the recording ends before its match does.</summary>
    public bool IsWhole { get; }

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
            return await InTurnAsync(_play.Give, cancellationToken);
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
            step = _play.At.Step;
        }

        // What was not read of the file yet takes its time.
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

    // A reader of its own: the thread that plays does not wait for it.
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
            $"nobody asked this ({request.RequestCase}) within {RecordedAnswers.Nearby} steps of step {step} when "
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
