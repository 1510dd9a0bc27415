using System.Collections.Concurrent;
using System.Net;
using Sc2Bridge.Admission;
using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>The channels of a match that one client wants, and the feeds that they come from.</summary>
internal sealed class FoxgloveChannels : IDisposable
{
    private readonly FoxgloveMatch _match;
    private readonly SessionServices _services;
    private readonly Identity _identity;
    private readonly IPAddress? _address;
    private readonly FoxgloveSocket _sender;
    private readonly Func<uint> _shownLoop;

    // The topics that the client wants, with its numbers.
    private readonly ConcurrentDictionary<FoxgloveTopic, uint> _wanted = [];
    private readonly ConcurrentDictionary<uint, FoxgloveFeed> _feeds = [];
    private readonly SemaphoreSlim _turn = new(1, 1);

    /// <summary>Begins the first feed, with which the client counts as a subscriber.</summary>
    /// <param name="match">What is shown.</param>
    /// <param name="services">What all sessions share.</param>
    /// <param name="identity">Who the client is.</param>
    /// <param name="address">Its address.</param>
    /// <param name="sender">Writes to it.</param>
    /// <param name="shownLoop">A playback's game loop; 0 in a live match.</param>
    public FoxgloveChannels(
        FoxgloveMatch match, SessionServices services, Identity identity, IPAddress? address, FoxgloveSocket sender,
        Func<uint> shownLoop)
    {
        (_match, _services, _identity, _address, _sender, _shownLoop) = (match, services, identity, address, sender, shownLoop);
        First = Feed(match.Perspectives[0], null);
        Rows = new FoxgloveRows(
            services.Hub.Events, match, () => _wanted.TryGetValue(FoxgloveTopic.Step, out var id) ? id : null, sender);
    }

    /// <summary>The client's subscription: it hears of the match's end, whatever channels are wanted.</summary>
    public FoxgloveFeed First { get; }

    /// <summary>The rows of the step log.</summary>
    public FoxgloveRows Rows { get; }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var feed in _feeds.Values)
        {
            feed.Dispose();
        }

        Rows.Leave();
        _turn.Dispose();
    }

    /// <summary>The client wants a channel.</summary>
    /// <param name="id">Its number for that.</param>
    /// <param name="number">The channel's.</param>
    /// <param name="ct">The session has ended.</param>
    /// <returns>A feed that began for it; else null.</returns>
    public async Task<FoxgloveFeed?> SubscribeAsync(uint id, ulong number, CancellationToken ct)
    {
        if (number < 1 || number > (ulong)_match.Topics.Count)
        {
            await _sender.WarnAsync($"there is no channel {number}");
            return null;
        }

        var topic = _match.Topics[(int)number - 1];
        if (_wanted.Values.Contains(id) || !_wanted.TryAdd(topic, id))
        {
            await _sender.WarnAsync($"subscription {id} is there already, or {topic.Name} has one: end that first");
            return null;
        }

        switch (topic.Kind)
        {
            case TopicKind.Terrain:
                await ShowTerrainAsync(id);
                return null;
            case TopicKind.Step:
                Rows.Listen();
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

        var place = await _services.Admission.TakePlaceAsync(_address, ct);
        try
        {
            return Feed(perspective, place);
        }
        catch
        {
            place.Dispose();
            throw;
        }
    }

    /// <summary>The client wants some channels no longer.</summary>
    /// <param name="ids">Its numbers for them.</param>
    public void Unsubscribe(IReadOnlyCollection<uint> ids)
    {
        foreach (var ended in _wanted.Where(one => ids.Contains(one.Value)))
        {
            _wanted.TryRemove(ended);
        }

        if (!_wanted.ContainsKey(FoxgloveTopic.Step))
        {
            Rows.Leave();
        }

        // A feed that the client does not want takes no room.
        foreach (var (perspective, feed) in _feeds)
        {
            if (feed != First && !_wanted.Keys.Any(topic => topic.Perspective == perspective))
            {
                _feeds.TryRemove(perspective, out _);
                feed.Dispose();
            }
        }
    }

    /// <summary>A viewer has cleared its scene: what comes once, or when it has changed, or has come already, comes again.</summary>
    public async Task ShowAgainAsync(CancellationToken ct)
    {
        if (_wanted.FirstOrDefault(one => one.Key.Kind == TopicKind.Terrain) is { Key: not null } terrain)
        {
            await ShowTerrainAsync(terrain.Value);
        }

        foreach (var feed in _feeds.Values.Where(feed => feed != First))
        {
            await feed.ShowAgainAsync(ct);
        }
    }

    private async Task ShowTerrainAsync(uint id)
    {
        var time = _match.TimeAt(_shownLoop(), MonotonicClock.NowNs);
        if (_match.Terrain(time) is { } terrain)
        {
            await _sender.SendMessageAsync(id, time, terrain);
        }
    }

    private FoxgloveFeed Feed(uint perspective, IDisposable? place)
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
            () => from one in _wanted where one.Key.Perspective == perspective orderby one.Key.Kind select (one.Key, one.Value),
            _sender,
            _turn);
    }
}
