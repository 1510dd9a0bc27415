using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>A recorded match as one client has it: where it is, what it has been told, what it ordered.</summary>
internal sealed class RecordedSession : IDisposable
{
    // So many orders at one loop, or bytes of them, are noted before it ends, so that a client cannot fill the memory.
    private const int MostOrders = 10_000;
    private const int MostOrderBytes = 16 << 20;

    private readonly PlayableRecording _match;
    private readonly IPlaybackLog _log;
    private readonly TimeProvider _time;
    private readonly List<SC2APIProtocol.Action> _orders = [];
    private long _orderBytes;
    private LoopClock? _clock;
    private bool _ranOut;
    private uint? _saved;
    private bool _told;

    /// <summary>A match that begins.</summary>
    /// <param name="match">The match.</param>
    /// <param name="perspective">Whose eyes the client has.</param>
    /// <param name="observer">Whether it only watches.</param>
    /// <param name="time">The clock that moves it, or null where the client steps it.</param>
    /// <param name="totals">Counts.</param>
    /// <param name="log">Is told of it.</param>
    /// <exception cref="RecordingException">It has no observation that can be read.</exception>
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

    /// <summary>Whose eyes the client has: a player id, 0 for an observer of all.</summary>
    public uint Perspective { get; }

    /// <summary>What the game told it of the match.</summary>
    public ResponseGameInfo GameInfo { get; }

    /// <summary>Whether it only watches.</summary>
    public bool IsObserver { get; }

    /// <summary>Whether the clock moves the match.</summary>
    public bool Realtime { get; }

    /// <summary>Where it is.</summary>
    public MatchPosition Position { get; }

    /// <summary>What was asked when it was recorded.</summary>
    public RecordedAnswers Answers { get; }

    /// <summary>Whether the match has ended: by itself, or because the recording has.</summary>
    public bool Ended => _ranOut || MatchEnded;

    /// <summary>How it ended; nothing while it goes on.</summary>
    public IReadOnlyCollection<PlayerResult> Results => Ended ? _match.Results() : [];

    private bool MatchEnded => Position.TellsResults || (Position.NextLoop is null
        && _match.End is { Aborted: false } end && (end.Results.Count > 0 || end.Reason == V1.EndReason.Finished));

    /// <summary>Begins again.</summary>
    /// <exception cref="RecordingException">The file cannot be read any more.</exception>
    public void Restart()
    {
        NoteOrders([]);
        Position.Rewind();
        Begin();
    }

    /// <summary>Keeps the loop that it is at.</summary>
    public void QuickSave() => _saved = Position.Loop;

    /// <summary>Goes back to the loop that was kept.</summary>
    /// <exception cref="RefusedException">None was.</exception>
    /// <exception cref="RecordingException">The file cannot be read any more.</exception>
    public void QuickLoad()
    {
        var loop = _saved ?? throw new RefusedException("Nothing was saved: quick_save first");
        NoteOrders([]);
        Position.GoBack(loop);
        _ranOut = false;
        StartClock();
    }

    /// <summary>Goes on to a loop, or to the next one that was recorded.</summary>
    /// <param name="loop">The loop.</param>
    /// <param name="left">The client has gone.</param>
    public void MoveTo(long loop, CancellationToken left)
    {
        var from = Position.Loop;
        try
        {
            _ranOut |= !Position.MoveTo(loop, left);
        }
        finally
        {
            Moved(from);
        }
    }

    /// <summary>Goes on with a match that the clock moves.</summary>
    /// <param name="left">The client has gone.</param>
    public void Advance(CancellationToken left)
    {
        if (_clock is not { } clock || Ended)
        {
            return;
        }

        var (due, from) = (clock.Due, Position.Loop);
        try
        {
            Position.MoveUpTo(due, left);
            _ranOut |= Position.NextLoop is null && due > Position.Loop;
        }
        finally
        {
            Moved(from);
        }
    }

    /// <summary>How long until a loop, or the next one that was recorded, is due; null where it is there.</summary>
    /// <param name="loop">The loop.</param>
    public TimeSpan? Until(long loop)
    {
        if (_clock is not { } clock || Ended || Position.Loop >= loop)
        {
            return null;
        }

        // Each that comes before it is looked at when it is due.
        return clock.Until(Position.NextLoop ?? Position.Loop + 1L);
    }

    /// <summary>Takes what the client orders: it changes nothing.</summary>
    public void Order(IEnumerable<SC2APIProtocol.Action> actions)
    {
        foreach (var action in actions)
        {
            _orders.Add(action);
            _orderBytes += action.CalculateSize();
            if (_orders.Count == MostOrders || _orderBytes > MostOrderBytes)
            {
                NoteOrders([]);
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NoteOrders([]);
        Answers.Dispose();
        Position.Dispose();
    }

    private void Begin()
    {
        _ranOut = false;
        _saved = null;
        StartClock();
        _log.Began(Perspective);
    }

    private void StartClock() => _clock = Realtime ? new LoopClock(_time, (int)Position.Loop) : null;

    private void Moved(uint from)
    {
        if (Position.Loop != from || _ranOut)
        {
            NoteOrders(Position.TakeActions(), from);
        }

        if (_ranOut && !_told && !MatchEnded)
        {
            _told = true;
            var reason = Position.Problem ?? _match.Problem ?? _match.End?.Words() ?? "it was not closed";
            _log.Say($"the recording ends at game loop {Position.Loop}, before its match does ({reason}): undecided");
        }
    }

    private void NoteOrders(IReadOnlyList<SC2APIProtocol.Action> recorded) => NoteOrders(recorded, Position.Loop);

    private void NoteOrders(IReadOnlyList<SC2APIProtocol.Action> recorded, uint loop)
    {
        if (_orders.Count > 0 || recorded.Count > 0)
        {
            _log.Acted(loop, _orders, recorded);
            _orders.Clear();
            _orderBytes = 0;
        }
    }
}
