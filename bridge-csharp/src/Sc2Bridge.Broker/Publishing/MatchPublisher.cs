using System.Collections.Concurrent;
using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// Publishes a match: a subscriber of every perspective, whose frames go to the broker as they do to agents that ask for
/// group zstd. A stepped match waits for the compression, as for any such agent, and never for the broker: what that does not
/// take waits in a bounded file, and what that does not take is a gap that readers are told of.
/// </summary>
public sealed class MatchPublisher : IDisposable
{
    // Streams, as the sender counts them.
    private const int Running = 0;
    private const int Directory = 1;
    private const int OfMatch = 2;
    private const int FirstFrames = 3;
    private const long QueueBytes = 64 << 20;

    private readonly Hub _hub;
    private readonly PublishOptions _options;
    private readonly SharedCompression _shared;
    private readonly Action<string> _told;
    private readonly Outbox _outbox;
    private readonly SentWindow _window;
    private readonly SidePath _path;
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<uint, FrameMessages> _messages = new();
    private readonly ConcurrentQueue<StreamMessage> _rows = new();
    private readonly Lock _lock = new();
    private readonly DateTimeOffset _started = DateTimeOffset.UtcNow;
    private readonly long _unixMinusMonotonicNs = UnixNowMs() * 1_000_000 - MonotonicClock.NowNs;
    private readonly TaskCompletionSource _complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _running;
    private BrokerSender? _sender;
    private MatchDescription? _match;
    private MatchAnnouncements? _announcements;
    private FrameStream[] _frames = [];
    private long[] _sequences = [];
    private Subscription _subscription;
    private PublishFigures _figures;
    private MatchEnd? _end;
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
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(options);
        (_hub, _options, _shared, _path, _told) = (hub, options, shared, path, told);
        Key = string.Create(
            CultureInfo.InvariantCulture,
            $"{_started:yyyyMMdd'-'HHmmss}-{Convert.ToHexStringLower(Guid.NewGuid().ToByteArray().AsSpan(0, 4))}");
        _figures = new PublishFigures(options.Address.ToString(), Key, 0, 0, 0, 0, 0, 0, 0, null);
        _outbox = new Outbox(new Spool(spool, options.SpoolBytes), path);
        _window = new SentWindow(Confirmed);
        _subscription = Subscribe(match: "");
        hub.Events.Acted += OnActed;
        _running = Task.Run(RunAsync);
    }

    /// <summary>The match's name at the broker.</summary>
    public string Key { get; }

    /// <summary>Why the broker is behind, as one line; null where it is not.</summary>
    public string? Problem => _path.Problem
        ?? (_sender?.Problem is { } problem ? $"the broker is away: {problem}" : null);

    /// <summary>How it does; from any thread.</summary>
    public PublishFigures Figures
    {
        get
        {
            // Outside the lock, which the window's holder takes for what is confirmed.
            var waiting = _outbox.Count + _window.Unconfirmed;
            lock (_lock)
            {
                return _figures with { Waiting = waiting, Problem = Problem };
            }
        }
    }

    /// <summary>Publishes a row of the step log too; from any thread.</summary>
    public void Add(LoggedStep step) => AddRow(MessageKind.Step, step.Record, step.Record.Step);

    /// <summary>
    /// The match has ended: waits, for as long as the options say, until the broker has it all; never fails.
    /// </summary>
    /// <param name="end">How it ended.</param>
    /// <param name="hurried">Waits a second more at most.</param>
    /// <returns>What was not published, as one line; null where all was.</returns>
    public async Task<string?> EndAsync(MatchEnd end, CancellationToken hurried = default)
    {
        await _hub.Events.FlushAsync();
        Volatile.Write(ref _end, end);
        _complete.TrySetResult();
        _stop.CancelAfter(_options.EndDeadline);
        await using var hurry = hurried.Register(() => _stop.CancelAfter(TimeSpan.FromSeconds(1)));
        await _running;
        var figures = Figures;
        return _failure is { } failure ? $"publishing ended in the middle of the match: {failure.Message}"
            : figures.Waiting > 0 ? $"{figures.Waiting} messages of the match were not published: {figures.Problem}" : null;
    }

    /// <summary>Ends it with what there is; <see cref="EndAsync"/> waits for the broker first.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        _stop.Cancel();
        _running.Wait();
        _stop.Dispose();
    }

    private static long UnixNowMs() => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();

    private static byte[] Compressed(IMessage message)
    {
        using var zstd = new ZstdCompressor();
        var output = MessageBuffer.Rent();
        zstd.Compress(message.ToByteArray(), output);
        var bytes = output.Written.ToArray();
        output.Release();
        return bytes;
    }

    private Subscription Subscribe(string match) => _hub.Subscribe(
        new SubscribeRequest { Policy = Policy.Every, Agent = "publisher", MatchId = match, QueueBytes = QueueBytes },
        new SubscriberInfo(
            "broker", DeliverInline: false, Internal: true, EveryPerspective: true,
            OnOffered: frame => MessagesOf(frame.Header.Perspective).OnOffered!(frame)));

    private FrameMessages MessagesOf(uint perspective) => _messages.GetOrAdd(
        perspective,
        static (_, shared) => FrameMessages.For(
            new SubscribeRequest { Compression = Compression.GroupZstd }, MessageForm.Proto, shared),
        _shared);

    // Whatever fails in here is the publication's end, and neither the match's nor the process's.
    private async Task RunAsync()
    {
        var sending = Task.CompletedTask;
        try
        {
            while (true)
            {
                var delivery = await _subscription.ReadAsync(_stop.Token);
                if (_match is null && _subscription.Match is { } match)
                {
                    await BeginAsync(match);
                    sending = Task.Run(() => _sender!.RunAsync(_stop.Token));
                }

                try
                {
                    if (!Take(delivery))
                    {
                        break;
                    }
                }
                finally
                {
                    delivery.Release();
                }
            }

            await _complete.Task.WaitAsync(_stop.Token);
            Finish();
            await sending;
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // What waits is told of.
        }
#pragma warning disable CA1031 // Whatever it is: the publication ends, and the match goes on.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            _failure = failure;
            _path.Lose(failure);
        }
        finally
        {
            await _stop.CancelAsync();
            await sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            _hub.Events.Acted -= OnActed;
            _subscription.Dispose();
            foreach (var messages in _messages.Values)
            {
                messages.Dispose();
            }

            await _outbox.DisposeAsync();
        }
    }

    private void OnActed(ActionReport action) => AddRow(MessageKind.Action, action.Record, action.Record.Step);

    private void AddRow(MessageKind kind, IMessage record, ulong step)
    {
        if (_failure is null && _outbox.HasRoom)
        {
            _rows.Enqueue(new StreamMessage(kind, 0, record.ToByteArray()) { Step = (long)step });
            return;
        }

        lock (_lock)
        {
            _figures = _figures with { MissingRows = _figures.MissingRows + 1 };
        }
    }

    private async Task BeginAsync(MatchDescription match)
    {
        _match = match;
        _announcements = new MatchAnnouncements(Key, match, _options, _started);
        _frames =
        [
            .. match.Perspectives.Select((one, place) => new FrameStream(one, message => Add(FirstFrames + place, message))),
        ];
        _sequences = new long[FirstFrames + _frames.Length];
        Add(OfMatch, new(MessageKind.Description, 0, Compressed(match)) { IsZstd = true });
        foreach (var perspective in match.Perspectives.Skip(1))
        {
            var own = await _hub.CurrentMatch.DescribeAsync(match.MatchId, perspective, _stop.Token);
            if (own.GameInfo is { } info && !info.Equals(match.GameInfo))
            {
                Add(OfMatch, new(MessageKind.GameInfo, 0, Compressed(info)) { IsZstd = true, Perspective = perspective });
            }
        }

        _sender = new BrokerSender(_options, _outbox, _window, new SenderTask(
            Key,
            [
                BrokerStreams.Running, BrokerStreams.Directory, BrokerStreams.Match(Key),
                .. match.Perspectives.Select(perspective => BrokerStreams.Frames(Key, perspective)),
            ],
            (channel, ct) => BrokerStreams.DeclareAsync(channel, Key, match.Perspectives, _options.MaxAge, _options.MaxBytes, ct),
            isLast => _announcements.Make(Running, Directory, isLast ? _end : null)));
    }

    // Whether more follows.
    private bool Take(Delivery delivery)
    {
        while (_match is not null && _rows.TryDequeue(out var row))
        {
            Add(OfMatch, row);
        }

        if (delivery.Frame is { } frame)
        {
            Publish(frame, delivery);
            return true;
        }

        _end ??= delivery.Event?.MatchEnd;
        return !delivery.IsLast || (delivery.Event?.Error is not null && Renew());
    }

    // Only in real time, or where this machine is very busy: it goes on with the newest.
    private bool Renew()
    {
        foreach (var frames in _frames)
        {
            frames.Lose($"more than {QueueBytes >> 20} MiB waited to be compressed");
        }

        _subscription.Dispose();
        try
        {
            _subscription = Subscribe(_match!.MatchId);
            return true;
        }
        catch (RequestRefusedException)
        {
            return false;
        }
    }

    private void Publish(ObservationFrame frame, in Delivery delivery)
    {
        var header = frame.Header;
        var frames = _frames.First(one => one.Perspective == header.Perspective);
        if (!_outbox.HasRoom)
        {
            frames.Drop(frame, $"the broker was away, and more than {_options.SpoolBytes >> 20} MiB waited for it");
            return;
        }

        var messages = MessagesOf(header.Perspective);
        var body = messages.Encode(delivery).ToArray();
        messages.Written();
        Miss(frames.Add(frame, body, (header.ObservedNs + _unixMinusMonotonicNs) / 1_000_000));
        lock (_lock)
        {
            _figures = _figures with { Published = _figures.Published + 1 };
        }
    }

    private void Miss(Gap? gap)
    {
        if (gap is null)
        {
            return;
        }

        _announcements!.Missed(gap);
        lock (_lock)
        {
            _figures = _figures with { Gaps = _figures.Gaps + 1, Missing = _figures.Missing + (long)gap.Steps };
        }

        _told(string.Create(
            CultureInfo.InvariantCulture,
            $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing at the broker: {gap.Reason}"));
    }

    private void Finish()
    {
        if (_match is null)
        {
            return;
        }

        var end = _end ??= new MatchEnd { MatchId = _match.MatchId, Reason = EndReason.Stopped };
        var message = new StreamMessage(MessageKind.End, 0, end.ToByteArray())
        {
            Step = (long)end.Step,
            Loop = end.GameLoop,
            TimeMs = UnixNowMs(),
        };
        foreach (var frames in _frames)
        {
            var newest = _hub.Perspectives.NewestStep(frames.Perspective);
            Miss(frames.End(message, _hub.Perspectives.ObservedNs(frames.Perspective, newest) is null ? null : newest));
        }

        while (_rows.TryDequeue(out var row))
        {
            Add(OfMatch, row);
        }

        Add(OfMatch, message);
        _outbox.Complete();
    }

    private void Add(int stream, StreamMessage message) =>
        _outbox.Add(new Outgoing(stream, message with { Sequence = _sequences[stream]++ }));

    private void Confirmed(Outgoing sent)
    {
        var isFrame = sent.Message.Kind == MessageKind.Frame;
        if (isFrame)
        {
            _announcements!.Confirmed(sent.Stream - FirstFrames, sent.Message);
        }

        lock (_lock)
        {
            _figures = _figures with
            {
                Confirmed = _figures.Confirmed + (isFrame ? 1 : 0),
                Bytes = _figures.Bytes + sent.Message.Body.Length,
            };
        }
    }
}
