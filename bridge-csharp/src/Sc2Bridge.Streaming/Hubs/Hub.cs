using Microsoft.Extensions.Logging;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Where frames become deliveries: one publisher, any number of subscribers, each under its own policy. Only a
/// subscriber that asked for it (lockstep, or a queue that pauses) makes the publisher wait. Any thread may call any member.
/// </summary>
public sealed class Hub : IDisposable
{
    // What part of the memory subscribers may take that hold nothing: the rest is for what they read.
    private const int MostForSubscribers = 4;

    private static readonly TimeSpan UpkeepPause = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly HubMeters _meters;
    private readonly MemoryKeeper _keeper;
    private readonly ITimer _upkeep;
    private long _subscribed;
    private volatile bool _realtime;
    private volatile bool _over;
    private bool _disposed;

    /// <summary>A hub without a match yet.</summary>
    public Hub(HubOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Options = options;
        Logger = options.LoggerFactory.CreateLogger<Hub>();
        Memory = new MemoryLedger(options.MemoryCeiling);
        Events = new HubEvents(new SidePath("hub events", Logger), Memory, options.TimeProvider);
        Events.Noticed += notice => StreamingLog.Noticed(Logger, notice);
        Perspectives = new PublishedPerspectives(
            options.TimeProvider,
            one => new SideActions(one, game: null, atOnce: false, done => Events.Act(CurrentMatch!.Budget, done)));
        CurrentMatch = new CurrentMatch(Perspectives, Events, options);
        Subscriptions = new SubscriptionRegistry(Perspectives, Events, Logger);
        _meters = new HubMeters(Subscriptions, Events, Perspectives, Memory);
        var relief = new MemoryRelief(Memory, Subscriptions);
        _keeper = new MemoryKeeper(Memory, relief.Relieve, () => CurrentMatch.Match is not null, Logger);
        Publisher = new FramePublisher(this, _meters, relief);

        // An exception in a timer's callback would end the process.
        var upkeep = new SidePath("upkeep", Logger);
        _upkeep = options.TimeProvider.CreateTimer(
            _ =>
            {
                upkeep.Try(Subscriptions, subscriptions => subscriptions.EndExpired(options.TimeProvider.GetUtcNow()));
                upkeep.Try(_keeper, static keeper => keeper.Look());
                upkeep.Try(Events, static events => events.CountNotices());

                // Only now: a timer with a period does not wait until its last call has ended.
                _upkeep!.Change(UpkeepPause, Timeout.InfiniteTimeSpan);
            },
            null, UpkeepPause, Timeout.InfiniteTimeSpan);
    }

    /// <summary>What happens to agents and what they report.</summary>
    public HubEvents Events { get; }

    /// <summary>How far each perspective is.</summary>
    public PublishedPerspectives Perspectives { get; }

    /// <summary>What is held for agents and logs.</summary>
    public MemoryLedger Memory { get; }

    /// <summary>The match that runs: describes it, asks its game, controls its playback.</summary>
    public CurrentMatch CurrentMatch { get; }

    /// <summary>Takes the frames of the match that runs.</summary>
    public FramePublisher Publisher { get; }

    /// <summary>The sessions of running subscriptions.</summary>
    public Sessions Sessions => Subscriptions.Sessions;

    /// <summary>The state of each subscriber at this moment.</summary>
    public IReadOnlyList<SubscriberState> Subscribers => [.. Subscriptions.Order.All.Select(subscription => subscription.State)];

    /// <summary>The match that runs, or ran last, goes by the game's own clock.</summary>
    public bool IsRealtime => _realtime;

    /// <summary>Whether the last match is over, or the bridge stops.</summary>
    internal bool IsOver => _over;

    /// <summary>How it was set up.</summary>
    public HubOptions Options { get; }

    internal ILogger Logger { get; }

    internal SubscriptionRegistry Subscriptions { get; }

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
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            CurrentMatch.Open(description, requests, playback, gameInfo);
            var budget = CurrentMatch.Budget;
            Perspectives.Begin(
                description, keeps: playback is not null,
                one => new SideActions(one, requests, description.Realtime, done => Events.Act(budget, done)));
            Subscriptions.Sides.Begin();
            _realtime = description.Realtime;
            _over = false;
            subscriptions = Subscriptions.Order.All;
        }

        Array.ForEach(subscriptions, one => one.Core.Bind(description));
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
            var subscription = new Subscription(name, _subscribed++, admitted, info, Options, Subscriptions, Perspectives, Memory);
            if (match is not null)
            {
                subscription.Core.Bind(match);
            }

            Subscriptions.Add(subscription);
            Publisher.OfferKept(subscription);
            StreamingLog.Subscribed(Logger, subscription.Name, info.Transport, subscription.Policy);
            return subscription;
        }
    }

    /// <summary>The match is over: every subscription of it gets this last, after its queued frames.</summary>
    public void End(MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        Subscription[] subscriptions;
        SideActions[] acting;
        lock (_lock)
        {
            if (!CurrentMatch.Close())
            {
                return;
            }

            _over = !end.NextFollows;
            acting = Perspectives.End();
            subscriptions = Subscriptions.Order.All;
            Subscriptions.Sides.End();
        }

        StreamingLog.MatchEnded(Logger, end.MatchId, end.Step, end.Words());
        Array.ForEach(acting, one => one.End());
        Finish(subscriptions, new V1.PlayResponse { MatchEnd = end });
    }

    /// <summary>Whether agents played a side in the match that runs, and none does any more.</summary>
    /// <param name="side">A player's id.</param>
    public bool IsAbandoned(uint side) => Subscriptions.Sides.IsAbandoned(side);

    /// <summary>
    /// Completes when at least so many subscribers, not counting the bridge's own, wait for the match that runs or
    /// comes next. A subscriber that only reads the rest of a match that has ended does not count.
    /// </summary>
    public Task WaitForSubscribersAsync(int count, CancellationToken ct) => WaitForAgentsAsync([], count, ct);

    /// <summary>The same for subscribers that asked for these names, and at least so many others.</summary>
    public Task WaitForAgentsAsync(IReadOnlyCollection<string> names, int others, CancellationToken ct) =>
        Subscriptions.WaitAsync(names, others, ct);

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

        _upkeep.Dispose();
        Array.ForEach(Perspectives.End(), one => one.End());
        CurrentMatch.Stop(Errors.Stopping());
        Finish(Subscriptions.Order.All, Errors.Fatal(StatusCode.Unavailable, Errors.Stopping().Message));
        Perspectives.Dispose();
        Events.Dispose();
        _meters.Dispose();
    }

    private static void Finish(Subscription[] subscriptions, V1.PlayResponse last) =>
        Array.ForEach(subscriptions, one => one.Core.End(last));
}
