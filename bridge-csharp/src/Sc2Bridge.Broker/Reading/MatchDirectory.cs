using Google.Protobuf;
using RabbitMQ.Client;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Reading;

/// <summary>A match in the directory of published matches.</summary>
/// <param name="Announcement">The newest announcement.</param>
/// <param name="IsRunning">Whether the match is still announced.</param>
internal sealed record PublishedMatch(Announcement Announcement, bool IsRunning)
{
    /// <summary>Whether the streams of the match should be deleted, because the retention time that the publisher chose is over.</summary>
    public bool IsExpired(DateTimeOffset now) =>
        !IsRunning && (ulong)Math.Max(0, now.ToUnixTimeMilliseconds() - Announcement.CreatedMs) / 1000 > Announcement.RetentionS;

    /// <summary>The match as one line, for a list of matches.</summary>
    public override string ToString()
    {
        var (match, end) = (Announcement.Match, Announcement.End);
        var players = string.Join(" against ", match.Players.Where(player => player.Kind != PlayerKind.Observer).Select(player =>
            string.Join(' ', new[] { player.Name, player.Race.Words(), player.Difficulty }.Where(word => word.Length > 0))));
        var loop = Announcement.Perspectives.Select(one => one.GameLoop).DefaultIfEmpty().Max();
        return $"{Announcement.Key}: {match.MapName}, {players}, "
            + (end is not null ? $"ended ({end.Words()})" : IsRunning ? $"runs, game loop {loop}" : "its publisher is gone")
            + string.Concat(Announcement.Tags.Select(tag => $", {tag}"));
    }
}

/// <summary>Reads the directory of published matches.</summary>
internal static class MatchDirectory
{
    // Announcements are untrusted. A valid announcement has a few hundred bytes.
    private const int LongestAnnouncement = 1 << 20;

    // The broker stores a stream in chunks. Messages up to the start of the newest chunk already exist, so each of them may take
    // _arrivalTimeout. Each later message may take _idleTimeout. All later messages together may take _totalTimeout, because running
    // matches never stop announcing themselves. _totalTimeout also limits the wait for the first message of the running matches.
    private static readonly TimeSpan _arrivalTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _totalTimeout = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _idleTimeout = TimeSpan.FromSeconds(0.3);

    // Each running match is announced at least once in this period.
    private static readonly TimeSpan _recent = TimeSpan.FromSeconds(30);

    /// <summary>Reads the matches, sorted by their start times.</summary>
    /// <param name="connection">The connection to the broker.</param>
    /// <param name="includesPast">Whether to include ended matches. If false, only matches announced in the last 30 s are read.</param>
    /// <param name="ct">Cancels the reading.</param>
    /// <param name="key">If a match with this key runs, only this match is returned, and past matches are not read. Null for all matches.</param>
    /// <exception cref="BrokerException">No match was ever published to this broker, or the broker fails.</exception>
    internal static async Task<IReadOnlyList<PublishedMatch>> ReadAsync(
        IConnection connection, bool includesPast, CancellationToken ct, string? key = null)
    {
        var newest = new Dictionary<string, Announcement>();
        var now = DateTimeOffset.UtcNow;
        if (includesPast && key is not null && BrokerStreams.IsKey(key))
        {
            await AddAnnouncementsAsync(BrokerStreams.RunningStream, Recent(_recent / 2));
            if (newest.TryGetValue(key, out var found) && IsRunning(found))
            {
                return [new PublishedMatch(found, IsRunning: true)];
            }
        }

        if (includesPast)
        {
            await AddAnnouncementsAsync(BrokerStreams.DirectoryStream, "first");
        }

        // If the directory shows that no match runs, RunningStream is not read, because the directory contains every running match.
        if (!includesPast || newest.Values.Any(match => match.End is null))
        {
            await AddAnnouncementsAsync(BrokerStreams.RunningStream, Recent(_recent));
        }

        return [.. newest.Values.OrderBy(match => match.StartedMs).Select(match => new PublishedMatch(match, IsRunning(match)))];

        AmqpTimestamp Recent(TimeSpan ago) => new((now - ago).ToUnixTimeSeconds());

        bool IsRunning(Announcement match) =>
            match.End is null && now.ToUnixTimeMilliseconds() - match.CreatedMs < 3000L * Math.Max(1, match.IntervalS);

        async Task AddAnnouncementsAsync(string stream, object from)
        {
            StreamMessage? chunkStart;
            await using (var newestChunk = await StreamConsumer.OpenAsync(connection, stream, "last", ct))
            {
                chunkStart = await newestChunk.TryReadAsync(_arrivalTimeout, ct);
            }

            // If no match runs, no announcement will arrive, so do not wait for one.
            if (chunkStart is null || (from is AmqpTimestamp && now.ToUnixTimeMilliseconds() - Parse(chunkStart)?.CreatedMs > 2 * _recent.TotalMilliseconds))
            {
                return;
            }

            long? reachedChunkMs = null;
            await using var consumer = await StreamConsumer.OpenAsync(connection, stream, from, ct);
            for (var patience = from is "first" ? _arrivalTimeout : _totalTimeout; await consumer.TryReadAsync(patience, ct) is { } message;
                patience = message.Offset < chunkStart.Offset ? _arrivalTimeout : _idleTimeout)
            {
                if (Parse(message) is { } announcement
                    && !(newest.TryGetValue(announcement.Key, out var known) && known.CreatedMs > announcement.CreatedMs))
                {
                    newest[announcement.Key] = announcement;
                }

                reachedChunkMs ??= message.Offset < chunkStart.Offset ? null : Environment.TickCount64;
                if (Environment.TickCount64 - reachedChunkMs > _totalTimeout.TotalMilliseconds)
                {
                    return;
                }
            }
        }
    }

    /// <summary>Deletes the streams of expired matches.</summary>
    internal static Task DeleteExpiredAsync(BrokerAddress address, CancellationToken ct) => address.RunConnectedAsync(
        "sc2bridge clears up",
        async connection =>
        {
            await using var channel = await connection.CreateChannelAsync(cancellationToken: ct);
            var expired = (await ReadAsync(connection, includesPast: true, ct)).Where(match => match.IsExpired(DateTimeOffset.UtcNow)).ToList();
            foreach (var stream in expired.SelectMany(match => match.Announcement.Match.Perspectives
                .Select(perspective => BrokerStreams.FramesStream(match.Announcement.Key, perspective))
                .Append(BrokerStreams.MatchStream(match.Announcement.Key))))
            {
                await channel.QueueDeleteAsync(stream, ifUnused: true, ifEmpty: false, cancellationToken: ct);
            }

            return expired.Count;
        },
        ct);

    /// <summary>Parses an announcement; returns null if it is not valid.</summary>
    internal static Announcement? Parse(StreamMessage message)
    {
        if (message.Kind != MessageKind.Announcement || message.Body.Length > LongestAnnouncement)
        {
            return null;
        }

        try
        {
            var read = Announcement.Parser.ParseFrom(message.Body.Span);
            return BrokerStreams.IsKey(read.Key) && read.Match is not null ? read : null;
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
    }
}
