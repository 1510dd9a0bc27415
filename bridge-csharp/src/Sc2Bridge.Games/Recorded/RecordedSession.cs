using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A recorded match for one client: the position in the recording, and the client's orders.</summary>
internal sealed class RecordedSession : IDisposable
{
    // If the collected orders reach one of these limits, they are logged before the loop ends, so that a client cannot fill the memory.
    private const int MostOrders = 10_000;
    private const int MostOrderBytes = 16 << 20;

    private readonly PlayableRecording _match;
    private readonly IPlaybackLog _log;
    private readonly TimeProvider _time;
    private readonly List<SC2APIProtocol.Action> _orders = [];
    private long _orderBytes;
    private LoopClock? _clock;
    private bool _isRecordingOver;
    private uint? _savedLoop;
    private bool _isEndReported;

    /// <summary>Begins a match.</summary>
    /// <param name="match">The match.</param>
    /// <param name="perspective">The client's perspective.</param>
    /// <param name="observer">Whether the client only observes.</param>
    /// <param name="time">The clock of a real-time match; null if the client steps the match.</param>
    /// <param name="totals">Counts the observations.</param>
    /// <param name="log">Logs the client's actions.</param>
    /// <exception cref="RecordingException">The recording has no observation that can be read.</exception>
    public RecordedSession(
        PlayableRecording match, uint perspective, bool observer, TimeProvider? time, RequestTotals totals,
        IPlaybackLog log)
    {
        (_match, Perspective, IsObserver, Realtime) = (match, perspective, observer, time is not null);
        (_time, _log) = (time ?? TimeProvider.System, log);
        Position = new MatchPosition(match.Observations(perspective), totals);
        Answers = new RecordedAnswers(match.Requests);
        GameInfo = match.GameInfoOf(perspective);
        Begin();
    }

    /// <summary>The client's perspective: a player id, or 0 for an observer of all.</summary>
    public uint Perspective { get; }

    /// <summary>The game's information about the match.</summary>
    public ResponseGameInfo GameInfo { get; }

    /// <summary>Whether the client only observes.</summary>
    public bool IsObserver { get; }

    /// <summary>Whether the match runs in real time.</summary>
    public bool Realtime { get; }

    /// <summary>The position in the recording.</summary>
    public MatchPosition Position { get; }

    /// <summary>The recorded answers.</summary>
    public RecordedAnswers Answers { get; }

    /// <summary>Whether the match or the recording has ended.</summary>
    public bool HasEnded => _isRecordingOver || HasMatchEnded;

    /// <summary>The players' results; empty before the end.</summary>
    public IReadOnlyCollection<PlayerResult> Results => HasEnded ? _match.Results() : [];

    private bool HasMatchEnded => Position.HasResults || (Position.NextLoop is null
        && _match.End is { Aborted: false } end && (end.Results.Count > 0 || end.Reason == V1.EndReason.Finished));

    /// <summary>Begins the match again.</summary>
    /// <exception cref="RecordingException">The file can no longer be read.</exception>
    public void Restart()
    {
        LogOrders([]);
        Position.Rewind();
        Begin();
    }

    /// <summary>Saves the current loop.</summary>
    public void QuickSave() => _savedLoop = Position.Loop;

    /// <summary>Goes back to the saved loop.</summary>
    /// <exception cref="RefusedException">No loop was saved.</exception>
    /// <exception cref="RecordingException">The file can no longer be read.</exception>
    public void QuickLoad()
    {
        var loop = _savedLoop ?? throw new RefusedException("Nothing was saved: quick_save first");
        LogOrders([]);
        Position.GoBack(loop);
        _isRecordingOver = false;
        StartClock();
    }

    /// <summary>Moves to a loop. If the loop was not recorded, moves to the next recorded loop.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="disconnected">Cancelled when the client has disconnected.</param>
    public void MoveTo(long loop, CancellationToken disconnected)
    {
        var from = Position.Loop;
        try
        {
            _isRecordingOver |= !Position.MoveTo(loop, disconnected);
        }
        finally
        {
            OnMoved(from);
        }
    }

    /// <summary>Moves a real-time match to the loop that is due.</summary>
    /// <param name="disconnected">Cancelled when the client has disconnected.</param>
    public void AdvanceToDueLoop(CancellationToken disconnected)
    {
        if (_clock is not { } clock || HasEnded)
        {
            return;
        }

        var (due, from) = (clock.DueLoop, Position.Loop);
        try
        {
            Position.MoveUpTo(due, disconnected);
            _isRecordingOver |= Position.NextLoop is null && due > Position.Loop;
        }
        finally
        {
            OnMoved(from);
        }
    }

    /// <summary>The time until the next recorded loop is due; null if the client does not have to wait.</summary>
    /// <param name="loop">The loop that the client waits for.</param>
    public TimeSpan? TimeUntil(long loop)
    {
        if (_clock is not { } clock || HasEnded || Position.Loop >= loop)
        {
            return null;
        }

        // The match moves to each recorded loop when that loop is due, and then the client's request is tried again.
        return clock.TimeUntil(Position.NextLoop ?? Position.Loop + 1L);
    }

    /// <summary>Collects the client's orders for the log. The orders change nothing.</summary>
    public void AddOrders(IEnumerable<SC2APIProtocol.Action> actions)
    {
        foreach (var action in actions)
        {
            _orders.Add(action);
            _orderBytes += action.CalculateSize();
            if (_orders.Count == MostOrders || _orderBytes > MostOrderBytes)
            {
                LogOrders([]);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        LogOrders([]);
        Answers.Dispose();
        Position.Dispose();
    }

    private void Begin()
    {
        _isRecordingOver = false;
        _savedLoop = null;
        StartClock();
        _log.LogStart(Perspective);
    }

    private void StartClock() => _clock = Realtime ? new LoopClock(_time, (int)Position.Loop) : null;

    private void OnMoved(uint from)
    {
        if (Position.Loop != from || _isRecordingOver)
        {
            LogOrders(Position.TakeActions(), from);
        }

        if (_isRecordingOver && !_isEndReported && !HasMatchEnded)
        {
            _isEndReported = true;
            var reason = Position.Problem ?? _match.Problem ?? _match.End?.Words() ?? "it was not closed";
            _log.Say($"the recording ends at game loop {Position.Loop}, before its match does ({reason}): the result is undecided");
        }
    }

    private void LogOrders(IReadOnlyList<SC2APIProtocol.Action> recorded) => LogOrders(recorded, Position.Loop);

    private void LogOrders(IReadOnlyList<SC2APIProtocol.Action> recorded, uint loop)
    {
        if (_orders.Count > 0 || recorded.Count > 0)
        {
            _log.LogActions(loop, _orders, recorded);
            _orders.Clear();
            _orderBytes = 0;
        }
    }
}
