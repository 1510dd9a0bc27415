using Microsoft.Extensions.Logging;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Acting;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Delivers frames from one publisher to any number of subscribers, each with its own policy. The publisher waits only
/// for subscribers that may delay the match (lockstep, or a full queue that pauses the game). Thread-safe.
/// </summary>
public sealed class Hub : IDisposable
{
    // Subscribers may reserve at most a quarter of the memory for their streams. The rest is for their frames.
    private const int SubscriberMemoryDivisor = 4;

    private static readonly TimeSpan UpkeepPause = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly HubMeters _meters;
    private readonly MemoryKeeper _keeper;
    private readonly ITimer _upkeep;
    private long _nextOrder;
    private volatile bool _isRealtime;
    private volatile bool _isOver;
    private bool _isDisposed;

    /// <summary>Creates a hub without a match.</summary>
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
            one => new SideActions(one, game: null, atOnce: false, done => Events.RaiseActed(CurrentMatch!.RecordingBudget, done)));
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
                upkeep.Try(_keeper, static keeper => keeper.Check());
                upkeep.Try(Events, static events => events.ReportOmittedNotices());

                // The timer is restarted here, because a periodic timer would not wait until its previous call has ended.
                _upkeep!.Change(UpkeepPause, Timeout.InfiniteTimeSpan);
            },
            null, UpkeepPause, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Events of agents, and the times that they report.</summary>
    public HubEvents Events { get; }

    /// <summary>The progress of each perspective.</summary>
    public PublishedPerspectives Perspectives { get; }

    /// <summary>The memory that is used for agents and logs.</summary>
    public MemoryLedger Memory { get; }

    /// <summary>The running match: its description, requests to its game, and control of its playback.</summary>
    public CurrentMatch CurrentMatch { get; }

    /// <summary>Publishes the frames of the running match.</summary>
    public FramePublisher Publisher { get; }

    /// <summary>The sessions of running subscriptions.</summary>
    public Sessions Sessions => Subscriptions.Sessions;

    /// <summary>The current state of each subscriber.</summary>
    public IReadOnlyList<SubscriberState> Subscribers => [.. Subscriptions.Order.All.Select(subscription => subscription.State)];

    /// <summary>Whether the running or last match runs in real time.</summary>
    public bool IsRealtime => _isRealtime;

    /// <summary>Whether the last match has ended, or the bridge stops.</summary>
    internal bool IsOver => _isOver;

    /// <summary>The settings.</summary>
    public HubOptions Options { get; }

    internal ILogger Logger { get; }

    internal SubscriptionRegistry Subscriptions { get; }

    /// <summary>Starts a match. Waiting calls get the match's description, and subscriptions are bound to the match.</summary>
    /// <param name="description">The description. The caller must no longer change it.</param>
    /// <param name="requests">Sends requests to the match's game.</param>
    /// <param name="playback">Controls the playback of a recording; null for any other match.</param>
    /// <param name="gameInfo">The game info of each perspective. A perspective without an entry uses the description's game info.</param>
    /// <exception cref="InvalidOperationException">The previous match has not ended.</exception>
    public void Announce(
        MatchDescription description, IGameRequests requests, IPlayback? playback = null,
        IReadOnlyDictionary<uint, ResponseGameInfo>? gameInfo = null)
    {
        ArgumentNullException.ThrowIfNull(description);
        ArgumentNullException.ThrowIfNull(requests);
        Subscription[] subscriptions;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            CurrentMatch.Open(description, requests, playback, gameInfo);
            var budget = CurrentMatch.RecordingBudget;
            Perspectives.Begin(
                description, keepsNewest: playback is not null,
                one => new SideActions(one, requests, description.Realtime, done => Events.RaiseActed(budget, done)));
            Subscriptions.Sides.Begin();
            _isRealtime = description.Realtime;
            _isOver = false;
            subscriptions = Subscriptions.Order.All;
        }

        Array.ForEach(subscriptions, one => one.Core.Bind(description));
        StreamingLog.MatchBegan(Logger, description.MatchId, description.MapName);
        CurrentMatch.AnnounceDescription();
    }

    /// <summary>Checks a client's permission to subscribe, before other checks.</summary>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED.</exception>
    public void CheckPermission(V1.SubscribeRequest request, Identity identity)
    {
        ArgumentNullException.ThrowIfNull(request);
        ArgumentNullException.ThrowIfNull(identity);
        Permissions.Admit(request.Clone(), identity, Options);
    }

    /// <summary>
    /// Adds a subscriber. If no match is announced yet, a request that does not fit the next match ends the subscription
    /// when that match starts. A match that has ended cannot be subscribed to.
    /// </summary>
    /// <exception cref="RequestRefusedException">The request is refused. The exception has the gRPC status code, and the reason as one line.</exception>
    public Subscription Subscribe(V1.SubscribeRequest request, SubscriberInfo info)
    {
        ArgumentNullException.ThrowIfNull(request);
        var admitted = SubscriptionRequest.Admit(request, info, Options);
        lock (_lock)
        {
            if (_isDisposed)
            {
                throw Errors.Stopping();
            }

            var match = CurrentMatch.Match;
            if (SubscriptionRequest.Refusal(admitted, match, CurrentMatch.LastEnded) is { } refusal)
            {
                throw refusal;
            }

            if (Memory[MemoryAccount.Subscribers] + info.TransportBytes > Memory.Ceiling / SubscriberMemoryDivisor)
            {
                throw Errors.TooManyForMemory(Memory.Ceiling);
            }

            var name = Subscriptions.ReserveName(admitted.Agent);
            var subscription = new Subscription(name, _nextOrder++, admitted, info, Options, Subscriptions, Perspectives, Memory);
            if (match is not null)
            {
                subscription.Core.Bind(match);
            }

            Subscriptions.Add(subscription);
            Publisher.OfferKeptFrame(subscription);
            StreamingLog.Subscribed(Logger, subscription.Name, info.Transport, subscription.Policy);
            return subscription;
        }
    }

    /// <summary>
    /// Ends the match. Every subscription of the match gets this end as its last event, after its queued frames.
    /// </summary>
    public void End(MatchEnd end)
    {
        ArgumentNullException.ThrowIfNull(end);
        Subscription[] subscriptions;
        SideActions[] sideActions;
        lock (_lock)
        {
            if (!CurrentMatch.Close())
            {
                return;
            }

            _isOver = !end.NextFollows;
            sideActions = Perspectives.End();
            subscriptions = Subscriptions.Order.All;
            Subscriptions.Sides.End();
        }

        StreamingLog.MatchEnded(Logger, end.MatchId, end.Step, end.Words());
        Array.ForEach(sideActions, one => one.End());
        EndAll(subscriptions, new V1.PlayResponse { MatchEnd = end });
    }

    /// <summary>Whether agents played a side in the running match and all of them have left.</summary>
    /// <param name="side">A player's id.</param>
    public bool IsSideAbandoned(uint side) => Subscriptions.Sides.IsSideAbandoned(side);

    /// <summary>
    /// Completes when at least this many subscribers have joined the running or next match. The bridge's own subscribers do not
    /// count, nor do subscribers that only read the rest of an ended match.
    /// </summary>
    public Task WaitForSubscribersAsync(int count, CancellationToken ct) => WaitForAgentsAsync([], count, ct);

    /// <summary>Completes when subscribers with these requested names, and at least this many others, have joined the match.</summary>
    public Task WaitForAgentsAsync(IReadOnlyCollection<string> names, int others, CancellationToken ct) =>
        Subscriptions.WaitForAgentsAsync(names, others, ct);

    /// <summary>Stops the hub. Every subscription ends with UNAVAILABLE after its queued frames.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = _isOver = true;
        }

        _upkeep.Dispose();
        Array.ForEach(Perspectives.End(), one => one.End());
        CurrentMatch.Stop(Errors.Stopping());
        EndAll(Subscriptions.Order.All, Errors.Fatal(StatusCode.Unavailable, Errors.Stopping().Message));
        Perspectives.Dispose();
        Events.Dispose();
        _meters.Dispose();
    }

    private static void EndAll(Subscription[] subscriptions, V1.PlayResponse last) =>
        Array.ForEach(subscriptions, one => one.Core.End(last));
}
