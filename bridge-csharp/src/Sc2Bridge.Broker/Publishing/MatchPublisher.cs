using Google.Protobuf;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// Publishes a match to a broker. The publisher subscribes to every perspective and sends frames in the form that agents with group zstd
/// receive. A stepped match waits until its frames are compressed, but never for the broker. Messages that the broker does not
/// accept are queued in a file of limited size. If the file is full, frames are dropped and readers see a gap.
/// </summary>
public sealed class MatchPublisher : MatchFollower
{
    // Indices of the streams, in the order of BrokerStreams.AllNames.
    private const int RunningStream = 0;
    private const int DirectoryStream = 1;
    private const int MatchStream = 2;
    private const int FirstFramesStream = 3;
    private const long QueueBytes = 64 << 20;
    private const long RowBytes = 16 << 20;

    private readonly Hub _hub;
    private readonly PublishOptions _options;
    private readonly GroupEncoder _encoder;
    private readonly Outbox _outbox;
    private readonly SentWindow _window;
    private readonly SidePath _sidePath;
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
    private long _confirmedBytes;
    private bool _disposed;
    private volatile Exception? _failure;

    /// <summary>Subscribes and starts. Create the publisher before the hub publishes the first frame.</summary>
    /// <param name="hub">The hub.</param>
    /// <param name="options">The broker and the limits.</param>
    /// <param name="spool">The file for queued messages. It is created on demand and deleted at the end.</param>
    /// <param name="shared">The compression that subscribers with the same options share.</param>
    /// <param name="path">Counts and reports lost messages.</param>
    /// <param name="notify">Called with one line for the user if frames are missing.</param>
    public MatchPublisher(
        Hub hub, PublishOptions options, string spool, SharedCompression shared, SidePath path, Action<string> notify)
        : base(
            hub, new SubscribeRequest { Policy = Policy.Every, Agent = "publisher", QueueBytes = QueueBytes }, RowBytes,
            "at the broker", notify)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(options);
        (_hub, _options, _encoder, _sidePath) = (hub, options, new GroupEncoder(shared), path);
        Key = BrokerStreams.NewKey(_started);
        _outbox = new Outbox(new Spool(spool, options.SpoolBytes), path);
        _window = new SentWindow(OnConfirmed);
        hub.Events.Acted += OnActed;
        Start(new SubscriberInfo(
            "broker", DeliverInline: true, Internal: true, EveryPerspective: true, OnOffered: _encoder.AddOffered));
    }

    /// <summary>The match's key at the broker.</summary>
    public string Key { get; }

    /// <summary>Why the broker does not accept messages at the moment, as one line; null if it accepts them.</summary>
    public string? Problem => _sidePath.Problem
        ?? (_sender?.Problem is { } problem ? $"the broker is away: {problem}" : null);

    /// <summary>The current figures. Thread-safe.</summary>
    public PublishFigures Figures => new(
        _options.Address.ToString(), Key, Interlocked.Read(ref _published), Interlocked.Read(ref _confirmed), Gaps, Missing,
        MissingRows, Interlocked.Read(ref _confirmedBytes), _outbox.Count + _window.Unconfirmed, Problem);

    /// <inheritdoc/>
    protected override bool CanContinue => !_giveUp.IsCancellationRequested && !_sending.IsFaulted;

    /// <summary>Publishes a row of the step log. Thread-safe.</summary>
    public void Add(LoggedStep step) => AddRow(MessageKind.Step, step.Record, step.Record.Step);

    /// <summary>
    /// Ends the match. Waits until the broker has confirmed all messages, at most for <see cref="PublishOptions.EndDeadline"/>. Never throws.
    /// </summary>
    /// <param name="end">How the match ended.</param>
    /// <param name="hurried">If this token is cancelled, the method waits for at most one more second.</param>
    /// <returns>What was not published, as one line; null if everything was published.</returns>
    public async Task<string?> EndAsync(MatchEnd end, CancellationToken hurried = default)
    {
        _giveUp.CancelAfter(_options.EndDeadline);
        await using var hurry = hurried.Register(() => _giveUp.CancelAfter(TimeSpan.FromSeconds(1)));
        await FollowToAsync(end);
        var figures = Figures;
        return _failure is { } failure ? $"publishing ended in the middle of the match: {failure.Message}"
            : figures.Waiting > 0 ? $"{figures.Waiting} messages of the match were not published: {figures.Problem}" : null;
    }

    /// <summary>Stops without waiting for the broker. Call <see cref="EndAsync"/> first to wait.</summary>
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
            .. match.Perspectives.Select((perspective, index) => new FrameStream(perspective, message => Add(FirstFramesStream + index, message))),
        ];
        _sequences = new long[FirstFramesStream + _frames.Length];
        Add(MatchStream, StreamMessage.CreateCompressed(MessageKind.Description, match));
        foreach (var (perspective, info) in _hub.CurrentMatch.OtherGameInfo(match.MatchId))
        {
            Add(MatchStream, StreamMessage.CreateCompressed(MessageKind.GameInfo, info) with { Perspective = perspective });
        }

        _sender = new BrokerSender(
            _options, _outbox, _window, Key, match.Perspectives,
            isFinal => _announcements.Make(RunningStream, DirectoryStream, isFinal ? _end : null));
        _sending = Task.Run(() => _sender.RunAsync(_giveUp.Token));
    }

    /// <inheritdoc/>
    protected override void OnFrame(ObservationFrame frame, in Delivery delivery)
    {
        ArgumentNullException.ThrowIfNull(frame);
        var header = frame.Header;
        var frames = _frames.First(stream => stream.Perspective == header.Perspective);
        if (!_outbox.HasRoom)
        {
            frames.MarkDropped(frame, $"the broker was away, and more than {_options.SpoolBytes >> 20} MiB waited for it");
            return;
        }

        if (frames.AddFrame(frame, _encoder.Encode(frame, delivery), (header.ObservedNs + _unixMinusMonotonicNs) / 1_000_000) is { } gap)
        {
            ReportGap(gap);
        }

        Interlocked.Increment(ref _published);
    }

    /// <inheritdoc/>
    protected override void ReportGap(Gap gap)
    {
        _announcements!.AddMissing(gap);
        base.ReportGap(gap);
    }

    /// <inheritdoc/>
    protected override void OnTick() => WriteRows();

    /// <inheritdoc/>
    protected override void OnFramesLost(string? reason)
    {
        foreach (var frames in _frames)
        {
            frames.MarkLost(reason ?? $"more than {QueueBytes >> 20} MiB waited to be compressed");
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
                GameLoop = _end.GameLoop,
                TimeMs = UnixNowMs(),
            };
            foreach (var frames in _frames)
            {
                if (frames.AddEnd(message, _hub.Perspectives.NewestObserved(frames.Perspective)) is { } gap)
                {
                    ReportGap(gap);
                }
            }

            WriteRows();
            Add(MatchStream, message);
            _outbox.Complete();
        }

        try
        {
            _sending.GetAwaiter().GetResult();
        }
        catch (OperationCanceledException) when (_giveUp.IsCancellationRequested)
        {
            // EndAsync reports the messages that were not sent.
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
        _sidePath.ReportLoss(failure);
    }

    private static long UnixNowMs() => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

    private void OnActed(ActionReport action) => AddRow(MessageKind.Action, action.Record, action.Record.Step);

    private void AddRow(MessageKind kind, IMessage record, ulong step) => AddRow(record, () =>
    {
        if (_outbox.HasRoom)
        {
            Add(MatchStream, new StreamMessage(kind, 0, record.ToByteArray()) { Step = (long)step });
        }
        else
        {
            CountMissingRow();
        }
    });

    private void Add(int stream, StreamMessage message) =>
        _outbox.Add(new Outgoing(stream, message with { Sequence = _sequences[stream]++ }));

    private void OnConfirmed(Outgoing sent)
    {
        if (sent.Message.Kind == MessageKind.Frame)
        {
            _announcements!.CountConfirmed(sent.Stream - FirstFramesStream, sent.Message);
            Interlocked.Increment(ref _confirmed);
        }

        Interlocked.Add(ref _confirmedBytes, sent.Message.Body.Length);
    }
}
