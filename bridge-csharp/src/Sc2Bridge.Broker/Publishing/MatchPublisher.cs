using Google.Protobuf;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// Publishes a match: a subscriber of every perspective, whose frames go to the broker as they do to agents that ask for
/// group zstd. A stepped match waits for the compression, as for any such agent, and never for the broker: what that does not
/// take waits in a bounded file, and what that does not take is a gap that readers are told of.
/// </summary>
public sealed class MatchPublisher : MatchFollower
{
    // Streams, as the sender counts them.
    private const int Running = 0;
    private const int Directory = 1;
    private const int OfMatch = 2;
    private const int FirstFrames = 3;
    private const long QueueBytes = 64 << 20;
    private const long RowBytes = 16 << 20;

    private readonly Hub _hub;
    private readonly PublishOptions _options;
    private readonly GroupEncoder _encoder;
    private readonly Outbox _outbox;
    private readonly SentWindow _window;
    private readonly SidePath _path;
    private readonly CancellationTokenSource _giveUp = new();
    private readonly DateTimeOffset _started = DateTimeOffset.UtcNow;
    private readonly long _unixMinusMonotonicNs = UnixNowMs() * 1_000_000 - MonotonicClock.NowNs;
    private BrokerSender? _sender;
    private Task _sending = Task.CompletedTask;
    private MatchAnnouncements? _announcements;
    private volatile MatchEnd? _end;
    private FrameStream[] _frames = [];
    private long[] _sequences = [];
    private long _published;
    private long _confirmed;
    private long _bytes;
    private bool _disposed;
    private volatile Exception? _failure;

    /// <summary>Subscribes and begins: to be made before the first frame is published.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="options">Where to.</param>
    /// <param name="spool">The file of what waits, made when it is needed and deleted at the end.</param>
    /// <param name="shared">With those who ask for the same compression.</param>
    /// <param name="path">Gets what goes wrong.</param>
    /// <param name="told">Gets one line for people where frames are missing.</param>
    public MatchPublisher(
        Hub hub, PublishOptions options, string spool, SharedCompression shared, SidePath path, Action<string> told)
        : base(
            hub, new SubscribeRequest { Policy = Policy.Every, Agent = "publisher", QueueBytes = QueueBytes }, RowBytes,
            "at the broker", told)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(options);
        (_hub, _options, _encoder, _path) = (hub, options, new GroupEncoder(shared), path);
        Key = BrokerStreams.NewKey(_started);
        _outbox = new Outbox(new Spool(spool, options.SpoolBytes), path);
        _window = new SentWindow(Confirmed);
        hub.Events.Acted += OnActed;
        Start(new SubscriberInfo(
            "broker", DeliverInline: true, Internal: true, EveryPerspective: true, OnOffered: _encoder.Offered));
    }

    /// <summary>The match's name at the broker.</summary>
    public string Key { get; }

    /// <summary>Why the broker is behind, as one line; null if it is not.</summary>
    public string? Problem => _path.Problem
        ?? (_sender?.Problem is { } problem ? $"the broker is away: {problem}" : null);

    /// <summary>How it does; from any thread.</summary>
    public PublishFigures Figures => new(
        _options.Address.ToString(), Key, Interlocked.Read(ref _published), Interlocked.Read(ref _confirmed), Gaps, Missing,
        MissingRows, Interlocked.Read(ref _bytes), _outbox.Count + _window.Unconfirmed, Problem);

    /// <inheritdoc/>
    protected override bool CanContinue => !_giveUp.IsCancellationRequested && !_sending.IsFaulted;

    /// <summary>Publishes a row of the step log too; from any thread.</summary>
    public void Add(LoggedStep step) => AddRow(MessageKind.Step, step.Record, step.Record.Step);

    /// <summary>
    /// The match has ended: waits, for as long as the options say, until the broker has it all; never fails.
    /// </summary>
    /// <param name="end">How it ended.</param>
    /// <param name="hurried">Waits a second more at most.</param>
    /// <returns>What was not published, as one line; null if all was.</returns>
    public async Task<string?> EndAsync(MatchEnd end, CancellationToken hurried = default)
    {
        _giveUp.CancelAfter(_options.EndDeadline);
        await using var hurry = hurried.Register(() => _giveUp.CancelAfter(TimeSpan.FromSeconds(1)));
        await FollowToAsync(end);
        var figures = Figures;
        return _failure is { } failure ? $"publishing ended in the middle of the match: {failure.Message}"
            : figures.Waiting > 0 ? $"{figures.Waiting} messages of the match were not published: {figures.Problem}" : null;
    }

    /// <summary>Ends it with what there is; <see cref="EndAsync"/> waits for the broker first.</summary>
    protected override void Dispose(bool disposing)
    {
        if (!Interlocked.Exchange(ref _disposed, true))
        {
            _giveUp.Cancel();
            base.Dispose(disposing);
            _giveUp.Dispose();
        }
    }

    /// <inheritdoc/>
    protected override void OnMatch(MatchDescription match, ObservationFrame? first)
    {
        ArgumentNullException.ThrowIfNull(match);
        _announcements = new MatchAnnouncements(Key, match, _options, _started);
        _frames =
        [
            .. match.Perspectives.Select((one, place) => new FrameStream(one, message => Add(FirstFrames + place, message))),
        ];
        _sequences = new long[FirstFrames + _frames.Length];
        Add(OfMatch, StreamMessage.Compressed(MessageKind.Description, match));
        foreach (var (perspective, info) in _hub.CurrentMatch.OtherGameInfo(match.MatchId))
        {
            Add(OfMatch, StreamMessage.Compressed(MessageKind.GameInfo, info) with { Perspective = perspective });
        }

        _sender = new BrokerSender(
            _options, _outbox, _window, Key, match.Perspectives,
            isLast => _announcements.Make(Running, Directory, isLast ? _end : null));
        _sending = Task.Run(() => _sender.RunAsync(_giveUp.Token));
    }

    /// <inheritdoc/>
    protected override void OnFrame(ObservationFrame frame, in Delivery delivery)
    {
        ArgumentNullException.ThrowIfNull(frame);
        var header = frame.Header;
        var frames = _frames.First(one => one.Perspective == header.Perspective);
        if (!_outbox.HasRoom)
        {
            frames.Drop(frame, $"the broker was away, and more than {_options.SpoolBytes >> 20} MiB waited for it");
            return;
        }

        if (frames.Add(frame, _encoder.Encode(frame, delivery), (header.ObservedNs + _unixMinusMonotonicNs) / 1_000_000) is { } gap)
        {
            ReportGap(gap);
        }

        Interlocked.Increment(ref _published);
    }

    /// <inheritdoc/>
    protected override void ReportGap(Gap gap)
    {
        _announcements!.Missed(gap);
        base.ReportGap(gap);
    }

    /// <inheritdoc/>
    protected override void OnTick() => WriteRows();

    /// <inheritdoc/>
    protected override void OnFramesLost(string? reason)
    {
        foreach (var frames in _frames)
        {
            frames.Lose(reason ?? $"more than {QueueBytes >> 20} MiB waited to be compressed");
        }
    }

    /// <inheritdoc/>
    protected override void OnEnd()
    {
        if (_announcements is not null && CanContinue)
        {
            _end = MatchEnd ?? new MatchEnd { MatchId = Match!.MatchId, Reason = EndReason.Stopped };
            var message = new StreamMessage(MessageKind.End, 0, _end.ToByteArray())
            {
                Step = (long)_end.Step,
                Loop = _end.GameLoop,
                TimeMs = UnixNowMs(),
            };
            foreach (var frames in _frames)
            {
                if (frames.End(message, _hub.Perspectives.NewestObserved(frames.Perspective)) is { } gap)
                {
                    ReportGap(gap);
                }
            }

            WriteRows();
            Add(OfMatch, message);
            _outbox.Complete();
        }

        try
        {
            _sending.GetAwaiter().GetResult();
        }
        catch (OperationCanceledException) when (_giveUp.IsCancellationRequested)
        {
            // EndAsync reports the messages that wait.
        }
    }

    /// <inheritdoc/>
    protected override void Free()
    {
        _giveUp.Cancel();
        Task.WaitAny(_sending);
        _hub.Events.Acted -= OnActed;
        _encoder.Dispose();
        _outbox.DisposeAsync().AsTask().Wait();
    }

    /// <inheritdoc/>
    protected override void OnFailed(Exception failure)
    {
        _failure = failure;
        _path.Lose(failure);
    }

    private static long UnixNowMs() => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

    private void OnActed(ActionReport action) => AddRow(MessageKind.Action, action.Record, action.Record.Step);

    private void AddRow(MessageKind kind, IMessage record, ulong step) => AddRow(record, () =>
    {
        if (_outbox.HasRoom)
        {
            Add(OfMatch, new StreamMessage(kind, 0, record.ToByteArray()) { Step = (long)step });
        }
        else
        {
            CountMissingRow();
        }
    });

    private void Add(int stream, StreamMessage message) =>
        _outbox.Add(new Outgoing(stream, message with { Sequence = _sequences[stream]++ }));

    private void Confirmed(Outgoing sent)
    {
        if (sent.Message.Kind == MessageKind.Frame)
        {
            _announcements!.Confirmed(sent.Stream - FirstFrames, sent.Message);
            Interlocked.Increment(ref _confirmed);
        }

        Interlocked.Add(ref _bytes, sent.Message.Body.Length);
    }
}
