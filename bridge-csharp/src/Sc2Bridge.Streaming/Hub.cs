using System.Collections.Concurrent;
using SC2APIProtocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Where frames become deliveries: one publisher, any number of subscribers, each under its own policy. Only a
/// subscriber that asked for it (lockstep, or a queue that pauses) makes the publisher wait.
/// </summary>
/// <remarks>
/// Members may be called from any thread; the frames of one perspective are published one at a time, and do not wait
/// for those of another.
/// </remarks>
public sealed class Hub : IDisposable
{
    private readonly Lock _lock = new();
    private readonly HubOptions _options;
    private readonly ConcurrentDictionary<uint, PublishedPerspective> _perspectives = new();
    private readonly MatchDesk _desk = new();
    private readonly HashSet<uint> _played = [];
    private Subscription[] _subscriptions = [];
    private List<(int Count, TaskCompletionSource Reached)> _awaited = [];
    private long _subscribed;
    private int _external;
    private volatile bool _realtime;
    private bool _disposed;

    /// <summary>A hub without a match yet.</summary>
    public Hub(HubOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        _options = options;
        Acting = new ActionRelay(OnActed);
    }

    /// <summary>
    /// An agent reports what it measured. Raised on the thread that read the report: take it and return.
    /// </summary>
#pragma warning disable CA1003 // Plain values, raised for every step of every agent: no object for each.
    public event Action<TimesReport>? TimesReported;

    /// <summary>
    /// One clear line for the person who runs the match, such as: an agent missed the lockstep deadline.
    /// </summary>
    public event Action<string>? Noticed;

    /// <summary>
    /// The last agent that plays a side is gone (it left, says nothing any more, or was dropped) while the match runs;
    /// another may come. May be raised more than once, on any thread: take it and return.
    /// </summary>
    public event Action<uint>? Deserted;

    /// <summary>
    /// An agent's request was answered or refused. Raised on the thread that heard of it: take it and return. Not
    /// raised where the agent gave up waiting.
    /// </summary>
    public event Action<AgentRequest>? Requested;

    /// <summary>
    /// It is known what became of an agent's actions, refused ones too. Raised on the thread that heard of it, after
    /// the agent was told: take it and return.
    /// </summary>
    public event Action<AgentDeed>? Acted;
#pragma warning restore CA1003

    /// <summary>How each subscriber does, at this moment.</summary>
    public IReadOnlyList<SubscriberState> Subscribers =>
        [.. Volatile.Read(ref _subscriptions).Select(subscription => subscription.State)];

    /// <summary>The match that runs, or ran last, goes by the game's own clock.</summary>
    public bool IsRealtime => _realtime;

    /// <summary>Where agents' actions go.</summary>
    internal ActionRelay Acting { get; }

    /// <summary>
    /// When the answer that holds a step was there, by <see cref="MonotonicClock"/>; null where the step is unknown or
    /// more than 8,192 steps ago.
    /// </summary>
    public long? ArrivedNs(uint perspective, ulong step) =>
        _perspectives.TryGetValue(perspective, out var published) ? published.ArrivedNs(step) : null;

    /// <summary>
    /// The newest step of a perspective, of the match that runs or ran last; 0 before its first. Where there is no such
    /// perspective, how far the match is.
    /// </summary>
    public ulong NewestStep(uint perspective) =>
        _perspectives.TryGetValue(perspective, out var published)
            ? published.Step
            : _perspectives.Values.Select(any => any.Step).DefaultIfEmpty().Max();

    /// <summary>
    /// A match is known: those who asked to have it described are answered, and subscriptions tied to it.
    /// </summary>
    /// <param name="description">Not changed any more.</param>
    /// <param name="requests">Asks this match's game.</param>
    /// <param name="playback">Controls it where it is played from a recording; null in any other match.</param>
    /// <param name="gameInfo">
    /// The match as each perspective's game tells of it, where they differ: of those that are not in it, and where it
    /// is null of all, the description's own holds.
    /// </param>
    /// <exception cref="InvalidOperationException">The match before has not ended.</exception>
    public void Announce(
        MatchDescription description, IGameRequests requests, IPlayback? playback = null,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo = null)
    {
        ArgumentNullException.ThrowIfNull(description);
        ArgumentNullException.ThrowIfNull(requests);
        Subscription[] subscriptions;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _desk.Open(description, requests, playback, gameInfo);
            foreach (var perspective in _perspectives.Values)
            {
                perspective.Begin();
            }
            _played.Clear();
            _realtime = description.Realtime;
            subscriptions = _subscriptions;
            Acting.Begin(requests, atOnce: description.Realtime);
        }

        foreach (var subscription in subscriptions)
        {
            Bind(subscription, description);
        }

        lock (_lock)
        {
            Recount();
        }

        _desk.Describe(description);
    }

    /// <summary>
    /// The match that runs; waits until there is one. The match that ended last can still be asked for by its name: its
    /// last frames may be read after its end.
    /// </summary>
    /// <param name="match">Its name; empty for whichever runs.</param>
    /// <param name="perspective">Whose GameInfo it has; null for its first perspective's.</param>
    /// <param name="ct">Gives up waiting.</param>
    /// <exception cref="RequestRefusedException">
    /// NOT_FOUND: another runs. INVALID_ARGUMENT: there is no such perspective. UNAVAILABLE: the bridge stops.
    /// </exception>
    public Task<MatchDescription> DescribeAsync(string match, uint? perspective, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(match);
        return _desk.DescribeAsync(match, perspective, ct);
    }

    /// <summary>
    /// Adds a subscriber. Before a match is announced, what does not fit it ends the subscription then; a match that
    /// has ended cannot be subscribed to.
    /// </summary>
    /// <exception cref="RequestRefusedException">With the reason as a gRPC status code and one line.</exception>
    public Subscription Subscribe(V1.Subscription request, SubscriberInfo info)
    {
        ArgumentNullException.ThrowIfNull(request);
        SubscriptionRequest.Check(request, _options);
        var leaveOut = SubscriptionRequest.LeftOut(request);
        var queueBytes = request.QueueBytes == 0 ? _options.DefaultQueueBytes : (long)request.QueueBytes;
        lock (_lock)
        {
            if (_disposed)
            {
                throw Stopping();
            }

            var match = _desk.Match;
            if (match is not null && SubscriptionRequest.Mismatch(request, match) is { } refusal)
            {
                throw refusal;
            }

            if (match is null && _desk.Ended?.Match is { } ended && ended == request.Match)
            {
                throw new RequestRefusedException(
                    StatusCode.NotFound, $"match '{request.Match}' has ended (leave match empty for the next one)");
            }

            var state = new SubscriptionState(
                UniqueName(request.Agent), request.Clone(), leaveOut, queueBytes, info, _options);
            var subscription = new Subscription(this, state, info, _subscribed++);
            if (match is not null)
            {
                Bind(subscription, match);
            }

            // Lockstep agents are released first and together; quick hand-overs go before readers that must be woken,
            // compressed ones behind plain ones, and the bridge's own come last, so that they are in nobody's delivery.
            _subscriptions = [.. _subscriptions.Append(subscription).OrderBy(Rank)];
            Recount();
            return subscription;
        }
    }

    /// <summary>
    /// A frame will be published in a millisecond or a few. Called by the publisher where it has that time to spare;
    /// subscribers that need it make ready.
    /// </summary>
    public void Expect()
    {
        foreach (var subscription in Volatile.Read(ref _subscriptions))
        {
            subscription.Info.Offered?.Expected();
        }
    }

    /// <summary>
    /// Hands a frame to every subscriber of its perspective. Completes when those that pause have room and those in
    /// lockstep have answered or run out of time; at once where nobody makes it wait.
    /// </summary>
    /// <param name="frame">The caller's hold on it is taken over, also where this throws.</param>
    /// <param name="ct">Gives up waiting; the frame stays delivered.</param>
    /// <exception cref="InvalidOperationException">
    /// The frame's match does not run, or another frame of its perspective is being published.
    /// </exception>
    public ValueTask PublishAsync(Frame frame, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(frame);
        PublishWait wait;
        try
        {
            if (_desk.Match?.Match is var running && running != frame.Header.Match)
            {
                throw new InvalidOperationException(
                    $"A frame of match '{frame.Header.Match}' was published, but '{running}' runs: announce it.");
            }

            var perspective = Of(frame.Header.Perspective);
            wait = perspective.Wait;
            var generation = wait.Begin();
            perspective.Published(frame.Header);
            Acting.Published(frame.Header.Perspective, frame.Header.Step);
            foreach (var subscription in Volatile.Read(ref _subscriptions))
            {
                subscription.Offer(frame, wait, generation);
            }
        }
        finally
        {
            frame.Release();
        }

        return wait.WaitAsync(ct);
    }

    /// <summary>
    /// A step of a perspective is about to be asked for: what its side's agents have sent since the last one goes to
    /// the game. In real time it went there at once, and this does nothing.
    /// </summary>
    /// <param name="perspective">Whose.</param>
    /// <param name="ct">Gives up waiting for the game's answer.</param>
    /// <returns>
    /// Completes when the game has answered and the agents were told, which is to be before the next frame is
    /// published; never fails.
    /// </returns>
    public Task ActAsync(uint perspective, CancellationToken ct) => Acting.SendAsync(perspective, ct);

    /// <summary>The match is over: every subscription of it gets this last, after its queued frames.</summary>
    public void End(MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        Subscription[] subscriptions;
        lock (_lock)
        {
            if (!_desk.Close())
            {
                return;
            }

            subscriptions = _subscriptions;
        }

        Acting.End();
        var last = new V1.Event { MatchEnd = end };
        foreach (var subscription in subscriptions)
        {
            subscription.Finish(last);
        }

        lock (_lock)
        {
            Recount();
        }
    }

    /// <summary>Asks the game on an agent's behalf, also while the hub waits for lockstep agents.</summary>
    /// <param name="request">What to ask; not changed any more.</param>
    /// <param name="agent">Who asks; empty where that is not known.</param>
    /// <param name="ct">Gives up waiting.</param>
    /// <exception cref="RequestRefusedException">The kind is not let through, or there is no such match.</exception>
    public async Task<Response> RequestAsync(GameRequest request, string agent, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(agent);
        SubscriptionRequest.CheckName(agent);
        var askedNs = MonotonicClock.NowNs;
        var record = new RequestRecord
        {
            Step = NewestStep(request.Perspective),
            Agent = agent,
            Perspective = request.Perspective,
            Request = request.Request,
        };
        try
        {
            record.Response = await _desk.AskAsync(request, ct);
        }
        catch (Exception refused) when (refused is not OperationCanceledException)
        {
            record.Refusal = refused.Message;
            Requested?.Invoke(new AgentRequest(askedNs, record));
            throw;
        }

        Requested?.Invoke(new AgentRequest(askedNs, record));
        return record.Response;
    }

    /// <summary>Holds, moves or paces the match that runs, where it is played from a recording.</summary>
    /// <returns>How it stands from now on, with the request's tag.</returns>
    /// <exception cref="RequestRefusedException">
    /// FAILED_PRECONDITION: no match runs, or a live one. NOT_FOUND: another one. And what the playback refuses.
    /// </exception>
    public PlaybackState Control(ControlRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return _desk.Control(request);
    }

    /// <summary>Whether agents played a side in the match that runs, and none does any more.</summary>
    /// <param name="side">A player's id.</param>
    public bool IsDeserted(uint side)
    {
        lock (_lock)
        {
            return _desk.Match is not null && _played.Contains(side) && !_subscriptions.Any(one => one.Plays == side);
        }
    }

    /// <summary>
    /// Completes when at least so many subscribers, the bridge's own left out, are there for the match that runs or
    /// comes next: those who only hear the rest of one that has ended do not count.
    /// </summary>
    public Task WaitForSubscribersAsync(int count, CancellationToken ct)
    {
        lock (_lock)
        {
            if (_external >= count)
            {
                return Task.CompletedTask;
            }

            var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _awaited.Add((count, reached));
            return reached.Task.WaitAsync(ct);
        }
    }

    /// <summary>The bridge stops: every subscription ends with UNAVAILABLE after its queued frames.</summary>
    public void Dispose()
    {
        Subscription[] subscriptions;
        lock (_lock)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
            subscriptions = _subscriptions;
        }

        Acting.End();
        _desk.Stop(Stopping());
        var last = Errors.Fatal(StatusCode.Unavailable, Stopping().Message);
        foreach (var subscription in subscriptions)
        {
            subscription.Finish(last);
        }

        foreach (var perspective in _perspectives.Values)
        {
            perspective.Dispose();
        }
    }

    internal void Report(Subscription subscription, uint perspective, StepTimes times, int? actions) =>
        TimesReported?.Invoke(
            new TimesReport(subscription.Name, subscription.Info.Transport, perspective, times, actions));

    /// <summary>A subscriber did what it may not, and is dropped.</summary>
    internal void Dropped(Subscription subscription, string why)
    {
        var step = NewestStep(subscription.State.Perspective ?? 0);
        Noticed?.Invoke($"agent '{subscription.Name}' was dropped at step {step}: {why}");
        if (subscription.Side is { } side)
        {
            CheckPlayed(side);
        }
    }

    /// <summary>An agent plays its side no more, of its own will or because it is gone.</summary>
    internal void Left(Subscription subscription, uint side, string how)
    {
        if (_desk.Match is not null)
        {
            Noticed?.Invoke(
                $"agent '{subscription.Name}', which played player {side}, {how} at step {NewestStep(side)}");
            CheckPlayed(side);
        }
    }

    internal void Remove(Subscription subscription)
    {
        lock (_lock)
        {
            _subscriptions = [.. _subscriptions.Where(other => other != subscription)];
            Recount();
        }
    }

    private static RequestRefusedException Stopping() =>
        new(StatusCode.Unavailable, "the bridge stops: connect again when it runs");

    private static int Rank(Subscription subscription) => subscription switch
    {
        { Info.Internal: true } => 5,
        { Policy: Policy.Lockstep } => Compresses(subscription) ? 1 : 0,
        { Info.DeliverInline: true } => Compresses(subscription) ? 3 : 2,
        _ => 4,
    };

    private static bool Compresses(Subscription subscription) => subscription.Info.Offered is not null;

    private void OnActed(AgentActions done) => Acted?.Invoke(new AgentDeed(
        done.AskedNs,
        new ActionRecord
        {
            Step = done.Sent.Step,
            Agent = done.Actor.Name,
            Perspective = done.Perspective,
            Actions = { done.Sent.Actions_ },
            Result = done.Result,
        }));

    private void CheckPlayed(uint side)
    {
        if (IsDeserted(side))
        {
            Deserted?.Invoke(side);
        }
    }

    private PublishedPerspective Of(uint perspective) => _perspectives.GetOrAdd(
        perspective, static (_, hub) => new PublishedPerspective(hub._options, hub.OnDeadline), this);

    private void OnDeadline(PublishedPerspective perspective, long generation, TimeSpan passed)
    {
        foreach (var subscription in Volatile.Read(ref _subscriptions))
        {
            if (subscription.DeadlinePassed(perspective.Wait, generation, passed))
            {
                Noticed?.Invoke(
                    $"agent '{subscription.Name}' did not answer step {perspective.Step} within "
                    + $"{_options.LockstepDeadline.TotalSeconds:0.###} s: the match goes on and waits for it again "
                    + "once it answers (give it more time, or let it subscribe with POLICY_LATEST)");
            }
        }
    }

    private void Bind(Subscription subscription, MatchDescription match)
    {
        subscription.Bind(match);
        if (subscription.Plays is { } side)
        {
            lock (_lock)
            {
                _played.Add(side);
            }
        }
    }

    private string UniqueName(string wanted)
    {
        var name = wanted.Length == 0 ? "agent" : wanted;
        var unique = name;
        // An agent that stays for the next match may come back before it is gone from the last one.
        var taken = _subscriptions.Where(other => !other.HasEnded).Select(other => other.Name).ToHashSet();
        for (var number = 2; taken.Contains(unique); number++)
        {
            unique = $"{name}-{number}";
        }

        return unique;
    }

    private void Recount()
    {
        _external = _subscriptions.Count(subscription => subscription is { Info.Internal: false, HasEnded: false });
        foreach (var (_, reached) in _awaited.Where(awaited => awaited.Count <= _external))
        {
            reached.TrySetResult();
        }

        _awaited = [.. _awaited.Where(awaited => awaited.Count > _external)];
    }
}
