using Microsoft.Extensions.Logging;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Where frames become deliveries: one publisher, any number of subscribers, each under its own policy. Only a
/// subscriber that asked for it (lockstep, or a queue that pauses) makes the publisher wait.
/// Members may be called from any thread; the frames of one perspective are published one at a time, and do not wait
/// for those of another.
/// </summary>
public sealed class Hub : IDisposable
{
    // What part of the memory subscribers may take that hold nothing: the rest is for what they read.
    private const int MostForSubscribers = 4;

    private readonly Lock _lock = new();
    private readonly HubMeters _meters;
    private readonly MemoryKeeper _keeper;
    private readonly FramePublisher _publisher;
    private readonly TokenExpiry _expiry;
    private long _subscribed;
    private volatile bool _realtime;
    private volatile bool _over;
    private volatile ActionRelay _acting;
    private bool _disposed;

    /// <summary>A hub without a match yet.</summary>
    public Hub(HubOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Options = options;
        Logger = options.LoggerFactory.CreateLogger<Hub>();
        Memory = new MemoryLedger(options.MemoryCeiling);
        Events = new HubEvents(new SidePath("hub events", Logger), Memory);
        Events.Noticed += notice => StreamingLog.Noticed(Logger, notice);
        Perspectives = new PublishedPerspectives(options.TimeProvider);
        CurrentMatch = new CurrentMatch(Perspectives, Events, options);
        Subscriptions = new SubscriptionRegistry(Perspectives, Events, Logger);
        _acting = Relay();
        _meters = new HubMeters(Subscriptions, Events, Perspectives, Memory);
        var relief = new MemoryRelief(Memory, Subscriptions);
        _keeper = new MemoryKeeper(Memory, relief.Relieve, () => CurrentMatch.Match is not null, Logger);
        _publisher = new FramePublisher(this, _meters, relief);
        _expiry = new TokenExpiry(Subscriptions, options.TimeProvider, Logger);
    }

    /// <summary>What happens to agents and what they report.</summary>
    public HubEvents Events { get; }

    /// <summary>How far each perspective is.</summary>
    public PublishedPerspectives Perspectives { get; }

    /// <summary>What is held for agents and logs.</summary>
    public MemoryLedger Memory { get; }

    /// <summary>The match that runs: describes it, asks its game, controls its playback.</summary>
    public CurrentMatch CurrentMatch { get; }

    /// <summary>The sessions of running subscriptions.</summary>
    public Sessions Sessions => Subscriptions.Sessions;

    /// <summary>The state of each subscriber at this moment.</summary>
    public IReadOnlyList<SubscriberState> Subscribers => [.. Subscriptions.All.Select(subscription => subscription.State)];

    /// <summary>Observations published so far, of all perspectives and matches.</summary>
    public long Published => _publisher.Published;

    /// <summary>The match that runs, or ran last, goes by the game's own clock.</summary>
    public bool IsRealtime => _realtime;

    /// <summary>Whether the last match is over, or the bridge stops.</summary>
    internal bool IsOver => _over;

    /// <summary>How it was set up.</summary>
    public HubOptions Options { get; }

    internal ILogger Logger { get; }

    internal SubscriptionRegistry Subscriptions { get; }

    internal ActionRelay Acting => _acting;

    /// <summary>A match begins: waiting calls get its description, and subscriptions are bound to it.</summary>
    /// <param name="description">Not changed any more.</param>
    /// <param name="requests">Asks this match's game.</param>
    /// <param name="playback">Controls it where it is played from a recording; null in any other match.</param>
    /// <param name="gameInfo">Each perspective's own game info; a perspective that is not in it has the description's.</param>
    /// <exception cref="InvalidOperationException">The match before has not ended.</exception>
    public void Announce(
        MatchDescription description, IGameRequests requests, IPlayback? playback = null,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo = null)
    {
        ArgumentNullException.ThrowIfNull(description);
        ArgumentNullException.ThrowIfNull(requests);
        Subscription[] subscriptions;
        ActionRelay acting;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            CurrentMatch.Open(description, requests, playback, gameInfo);
            Perspectives.Begin();
            Subscriptions.Sides.Begin();
            _realtime = description.Realtime;
            _over = false;
            subscriptions = Subscriptions.All;
            _acting = acting = Relay(requests, description.Realtime);
        }

        Array.ForEach(subscriptions, one => one.Core.Bind(description, acting));
        StreamingLog.MatchBegan(Logger, description.MatchId, description.MapName);
        CurrentMatch.Describe();
    }

    /// <summary>Refuses what a client may not subscribe to, whatever else may be wrong with it.</summary>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED.</exception>
    public void Permit(V1.SubscribeRequest request, Identity identity)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(identity);
        Permissions.Admit(request.Clone(), identity, Options);
    }

    /// <summary>
    /// Adds a subscriber. Before a match is announced, what does not fit it ends the subscription then; a match that
    /// has ended cannot be subscribed to.
    /// </summary>
    /// <exception cref="RequestRefusedException">With the reason as a gRPC status code and one line.</exception>
    public Subscription Subscribe(V1.SubscribeRequest request, SubscriberInfo info)
    {
        ArgumentNullException.ThrowIfNull(request);
        var admitted = SubscriptionRequest.Admit(request, info, Options);
        lock (_lock)
        {
            if (_disposed)
            {
                throw Errors.Stopping();
            }

            var match = CurrentMatch.Match;
            if (SubscriptionRequest.Refusal(admitted, match, CurrentMatch.Ended) is { } refusal)
            {
                throw refusal;
            }

            if (Memory[MemoryAccount.Subscribers] + info.TransportBytes > Memory.Ceiling / MostForSubscribers)
            {
                throw Errors.TooManyForMemory(Memory.Ceiling);
            }

            var name = Subscriptions.NameFor(admitted.Agent);
            var subscription = new Subscription(name, _subscribed++, admitted, info, Options, Subscriptions, _acting, Memory);
            if (match is not null)
            {
                subscription.Core.Bind(match, _acting);
            }

            Subscriptions.Add(subscription);
            _publisher.OfferKept(subscription);
            if (info.Identity?.Expires is not null)
            {
                _expiry.Begin();
            }

            StreamingLog.Subscribed(Logger, subscription.Name, info.Transport, subscription.Policy);
            return subscription;
        }
    }

    /// <summary>
    /// Hands a frame to every subscriber of its perspective. Completes when those that pause have room and those in
    /// lockstep have answered or run out of time; at once where nobody makes it wait.
    /// </summary>
    /// <param name="frame">The caller's hold on it is taken over, also where this throws.</param>
    /// <param name="ct">Gives up waiting; the frame stays delivered.</param>
    /// <exception cref="InvalidOperationException">Its match does not run, or another frame of its perspective is published.</exception>
    public ValueTask PublishAsync(ObservationFrame frame, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(frame);
        return _publisher.PublishAsync(frame, ct);
    }

    /// <summary>
    /// A step of a perspective is about to be asked for: what its side's agents have sent since the last one goes to
    /// the game. In real time it went there at once, and this does nothing.
    /// </summary>
    /// <param name="perspective">Whose.</param>
    /// <param name="ct">Gives up waiting for the game's answer.</param>
    /// <returns>Completes when the agents have their outcomes queued. Await it before the next frame. Never fails.</returns>
    public Task ActAsync(uint perspective, CancellationToken ct) => _acting.SendAsync(perspective, ct);

    /// <summary>The match is over: every subscription of it gets this last, after its queued frames.</summary>
    public void End(MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        Subscription[] subscriptions;
        ActionRelay acting;
        lock (_lock)
        {
            if (!CurrentMatch.Close())
            {
                return;
            }

            _over = !end.NextFollows;
            (acting, _acting) = (_acting, Relay());
            subscriptions = Subscriptions.All;
            Subscriptions.Sides.End();
        }

        StreamingLog.MatchEnded(Logger, end.MatchId, end.Step, end.Words());
        acting.End();
        Perspectives.End();
        Finish(subscriptions, new V1.PlayResponse { MatchEnd = end });
    }

    /// <summary>Whether agents played a side in the match that runs, and none does any more.</summary>
    /// <param name="side">A player's id.</param>
    public bool IsAbandoned(uint side) => Subscriptions.Sides.IsAbandoned(side);

    /// <summary>
    /// Completes when at least so many subscribers, not counting the bridge's own, wait for the match that runs or
    /// comes next. A subscriber that only reads the rest of a match that has ended does not count.
    /// </summary>
    public Task WaitForSubscribersAsync(int count, CancellationToken ct) => Subscriptions.WaitAsync(count, ct);

    /// <summary>The bridge stops: every subscription ends with UNAVAILABLE after its queued frames.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = _over = true;
        }

        _expiry.Dispose();
        _acting.End();
        CurrentMatch.Stop(Errors.Stopping());
        Finish(Subscriptions.All, Errors.Fatal(StatusCode.Unavailable, Errors.Stopping().Message));
        Perspectives.Dispose();
        Events.Dispose();
        _meters.Dispose();
        _keeper.Dispose();
    }

    // Without a game it refuses all actions.
    private ActionRelay Relay(IGameRequests? game = null, bool atOnce = false)
    {
        var budget = CurrentMatch.Budget;
        return new ActionRelay(game, atOnce, done => Events.Act(budget, done));
    }

    private static void Finish(Subscription[] subscriptions, V1.PlayResponse last) =>
        Array.ForEach(subscriptions, one => one.Core.End(last));
}
