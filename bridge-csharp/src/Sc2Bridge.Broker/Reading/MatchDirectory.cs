using Google.Protobuf;
using RabbitMQ.Client;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Reading;

/// <summary>A match in the directory.</summary>
/// <param name="Announcement">The newest.</param>
/// <param name="IsRunning">Whether it is announced still.</param>
internal sealed record PublishedMatch(Announcement Announcement, bool IsRunning)
{
    /// <summary>Whether its streams are to be deleted, as the publisher wanted them kept no longer.</summary>
    public bool IsExpired(DateTimeOffset now) =>
        !IsRunning && (ulong)Math.Max(0, now.ToUnixTimeMilliseconds() - Announcement.CreatedMs) / 1000 > Announcement.RetentionS;

    /// <summary>Its line in a list, for people.</summary>
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

/// <summary>Reads which matches are published.</summary>
internal static class MatchDirectory
{
    // What is announced is outside bytes; of one match some hundred bytes.
    private const int LongestAnnouncement = 1 << 20;

    // What is there is waited for; behind the newest chunk's first message only what comes with it, and for a while: where
    // hundreds of matches run, announcements never cease.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan _none = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan _quiet = TimeSpan.FromSeconds(0.3);

    // Those that run are announced more often.
    private static readonly TimeSpan _recent = TimeSpan.FromSeconds(30);

    /// <summary>Matches by their keys, the newest last.</summary>
    /// <param name="connection">To the broker.</param>
    /// <param name="past">Those that have ended too; else those that were announced in the last half minute.</param>
    /// <param name="ct">Gives up.</param>
    /// <param name="key">Where this one runs it alone, without reading of all that have ended.</param>
    /// <exception cref="BrokerException">Nothing was ever published there, or it fails.</exception>
    internal static async Task<IReadOnlyList<PublishedMatch>> ReadAsync(
        IConnection connection, bool past, CancellationToken ct, string? key = null)
    {
        var newest = new Dictionary<string, Announcement>();
        var now = DateTimeOffset.UtcNow;
        if (past && key is not null && BrokerStreams.IsKey(key))
        {
            await AddAsync(BrokerStreams.Running, Recent(_recent / 2));
            if (newest.TryGetValue(key, out var found) && IsRunning(found))
            {
                return [new PublishedMatch(found, IsRunning: true)];
            }
        }

        if (past)
        {
            await AddAsync(BrokerStreams.Directory, "first");
        }

        // Each that runs is in the directory too.
        if (!past || newest.Values.Any(one => one.End is null))
        {
            await AddAsync(BrokerStreams.Running, Recent(_recent));
        }

        return [.. newest.Values.OrderBy(one => one.StartedMs).Select(one => new PublishedMatch(one, IsRunning(one)))];

        AmqpTimestamp Recent(TimeSpan ago) => new((now - ago).ToUnixTimeSeconds());

        bool IsRunning(Announcement one) =>
            one.End is null && now.ToUnixTimeMilliseconds() - one.CreatedMs < 3000L * Math.Max(1, one.IntervalS);

        async Task AddAsync(string stream, object from)
        {
            StreamMessage? last;
            await using (var newestChunk = await StreamConsumer.OpenAsync(connection, stream, "last", ct))
            {
                last = await newestChunk.TryReadAsync(_patience, ct);
            }

            // Nothing runs: no need to wait for what does not come.
            if (last is null || (from is AmqpTimestamp && now.ToUnixTimeMilliseconds() - Parse(last)?.CreatedMs > 2 * _recent.TotalMilliseconds))
            {
                return;
            }

            long? reached = null;
            await using var consumer = await StreamConsumer.OpenAsync(connection, stream, from, ct);
            for (var patience = from is "first" ? _patience : _none; await consumer.TryReadAsync(patience, ct) is { } message;
                patience = message.Offset < last.Offset ? _patience : _quiet)
            {
                if (Parse(message) is { } announcement
                    && !(newest.TryGetValue(announcement.Key, out var known) && known.CreatedMs > announcement.CreatedMs))
                {
                    newest[announcement.Key] = announcement;
                }

                reached ??= message.Offset < last.Offset ? null : Environment.TickCount64;
                if (Environment.TickCount64 - reached > _none.TotalMilliseconds)
                {
                    return;
                }
            }
        }
    }

    /// <summary>Deletes the streams of matches that are kept no longer.</summary>
    internal static Task DeleteExpiredAsync(BrokerAddress address, CancellationToken ct) => address.WithAsync(
        "sc2bridge clears up",
        async connection =>
        {
            await using var channel = await connection.CreateChannelAsync(cancellationToken: ct);
            var expired = (await ReadAsync(connection, past: true, ct)).Where(match => match.IsExpired(DateTimeOffset.UtcNow)).ToList();
            foreach (var stream in expired.SelectMany(match => match.Announcement.Match.Perspectives
                .Select(perspective => BrokerStreams.Frames(match.Announcement.Key, perspective))
                .Append(BrokerStreams.Match(match.Announcement.Key))))
            {
                await channel.QueueDeleteAsync(stream, ifUnused: true, ifEmpty: false, cancellationToken: ct);
            }

            return expired.Count;
        },
        ct);

    /// <summary>What a message announces; null if it announces nothing usable.</summary>
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
