using System.Collections.Concurrent;
using System.Net;
using Sc2Bridge.Admission;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The channels that one client has subscribed to, and the feeds that supply them.</summary>
internal sealed class FoxgloveChannels : IDisposable
{
    private readonly FoxgloveMatch _match;
    private readonly SessionServices _services;
    private readonly Identity _identity;
    private readonly IPAddress? _address;
    private readonly FoxgloveSocket _sender;
    private readonly Func<uint> _playbackLoop;

    // The subscribed topics, with the client's subscription numbers.
    private readonly ConcurrentDictionary<FoxgloveTopic, uint> _subscribed = [];
    private readonly ConcurrentDictionary<uint, FoxgloveFeed> _feeds = [];
    private readonly SemaphoreSlim _sendLock = new(1, 1);

    /// <summary>Starts the first feed, which makes the client a subscriber.</summary>
    /// <param name="match">The match.</param>
    /// <param name="services">The services that all sessions share.</param>
    /// <param name="identity">The client's identity.</param>
    /// <param name="address">The client's address.</param>
    /// <param name="sender">Writes to the client.</param>
    /// <param name="playbackLoop">Returns the current game loop of a playback; 0 in a live match.</param>
    public FoxgloveChannels(
        FoxgloveMatch match, SessionServices services, Identity identity, IPAddress? address, FoxgloveSocket sender,
        Func<uint> playbackLoop)
    {
        (_match, _services, _identity, _address, _sender, _playbackLoop) = (match, services, identity, address, sender, playbackLoop);
        FirstFeed = StartFeed(match.Perspectives[0], null);
        Rows = new FoxgloveRows(
            services.Hub.Events, match, () => _subscribed.TryGetValue(FoxgloveTopic.Step, out var id) ? id : null, sender);
    }

    /// <summary>The client's first feed. It receives the match's end, even if the client subscribes to no channel.</summary>
    public FoxgloveFeed FirstFeed { get; }

    public FoxgloveRows Rows { get; }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var feed in _feeds.Values)
        {
            feed.Dispose();
        }

        Rows.StopListening();
        _sendLock.Dispose();
    }

    /// <summary>Subscribes to a channel.</summary>
    /// <param name="id">The client's subscription number.</param>
    /// <param name="channelId">The channel's number, from 1.</param>
    /// <param name="ct">Cancelled when the session ends.</param>
    /// <returns>The feed that was started for the channel; null if the channel needed no new feed.</returns>
    public async Task<FoxgloveFeed?> SubscribeAsync(uint id, ulong channelId, CancellationToken ct)
    {
        if (channelId < 1 || channelId > (ulong)_match.Topics.Count)
        {
            await _sender.SendErrorAsync($"channel {channelId} does not exist: subscribe to one from 1 to {_match.Topics.Count}");
            return null;
        }

        var topic = _match.Topics[(int)channelId - 1];
        if (_subscribed.Values.Contains(id) || !_subscribed.TryAdd(topic, id))
        {
            await _sender.SendErrorAsync($"subscription {id} already exists, or {topic.Name} has another subscription: remove the existing subscription first");
            return null;
        }

        switch (topic.Kind)
        {
            case TopicKind.Terrain:
                await ShowTerrainAsync(id);
                return null;
            case TopicKind.Step:
                Rows.StartListening();
                return null;
        }

        if (topic.Perspective is not { } perspective)
        {
            return null;
        }

        if (_feeds.TryGetValue(perspective, out var feed))
        {
            await feed.ShowNewestAsync((topic, id), ct);
            return null;
        }

        var place = await _services.Admission.ReservePlaceAsync(_address, ct);
        try
        {
            return StartFeed(perspective, place);
        }
        catch
        {
            place.Dispose();
            throw;
        }
    }

    /// <summary>Unsubscribes from channels.</summary>
    /// <param name="ids">The client's subscription numbers.</param>
    public void Unsubscribe(IReadOnlyCollection<uint> ids)
    {
        foreach (var subscription in _subscribed.Where(pair => ids.Contains(pair.Value)))
        {
            _subscribed.TryRemove(subscription);
        }

        if (!_subscribed.ContainsKey(FoxgloveTopic.Step))
        {
            Rows.StopListening();
        }

        // Ends feeds without subscribed channels, because each feed counts as a subscriber.
        foreach (var (perspective, feed) in _feeds)
        {
            if (feed != FirstFeed && !_subscribed.Keys.Any(topic => topic.Perspective == perspective))
            {
                _feeds.TryRemove(perspective, out _);
                feed.Dispose();
            }
        }
    }

    /// <summary>
    /// Sends data again after a viewer has cleared its scene: the terrain, and the newest frame of each feed except the
    /// first, which sends its own frame. These frames include the layers that are otherwise sent only when they change.
    /// </summary>
    public async Task ShowAgainAsync(CancellationToken ct)
    {
        if (_subscribed.FirstOrDefault(pair => pair.Key.Kind == TopicKind.Terrain) is { Key: not null } terrain)
        {
            await ShowTerrainAsync(terrain.Value);
        }

        foreach (var feed in _feeds.Values.Where(feed => feed != FirstFeed))
        {
            await feed.ShowAgainAsync(ct);
        }
    }

    private async Task ShowTerrainAsync(uint id)
    {
        var time = _match.TimeAt(_playbackLoop(), MonotonicClock.NowNs);
        if (_match.MakeTerrain(time) is { } terrain)
        {
            await _sender.SendMessageAsync(id, time, terrain);
        }
    }

    private FoxgloveFeed StartFeed(uint perspective, IDisposable? place)
    {
        var subscription = _services.Hub.Subscribe(
            new SubscribeRequest
            {
                MatchId = _match.Description.MatchId,
                Perspective = perspective,
                Policy = Policy.Latest,
                Agent = "foxglove",
            },
            new SubscriberInfo(
                "ws.foxglove", DeliverInline: false, TransportBytes: BridgeServer.SubscriberBytes, Identity: _identity));
        return _feeds[perspective] = new FoxgloveFeed(
            subscription,
            place,
            _match,
            () => from pair in _subscribed where pair.Key.Perspective == perspective orderby pair.Key.Kind select (pair.Key, pair.Value),
            _sender,
            _sendLock);
    }
}
