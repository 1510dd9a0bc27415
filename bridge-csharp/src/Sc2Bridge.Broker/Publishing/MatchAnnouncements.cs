using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>What the directory is told of a match: how far the broker has it. Thread-safe.</summary>
internal sealed class MatchAnnouncements
{
    // So that a match whose publisher is killed is kept as long as any, and is found to be deleted.
    private static readonly TimeSpan _listedEach = TimeSpan.FromHours(1);

    private readonly Lock _lock = new();
    private readonly Announcement _newest;
    private long? _listedMs;
    private (long Running, long Directory) _sequences;

    internal MatchAnnouncements(string key, MatchDescription match, PublishOptions options, DateTimeOffset started)
    {
        _newest = new Announcement
        {
            Key = key,
            Match = match.Clone(),
            Tags = { options.Tags },
            StartedMs = started.ToUnixTimeMilliseconds(),
            IntervalS = (uint)Math.Ceiling(options.Interval.TotalSeconds),
            RetentionS = (ulong)options.MaxAge.TotalSeconds,
            Perspectives = { match.Perspectives.Select(one => new PublishedPerspective { Perspective = one }) },
        };
        (_newest.Match.GameInfo, _newest.Match.Data, _newest.Match.Ping) = (null, null, null);
    }

    /// <summary>The broker has a frame of a perspective, by its place among the match's.</summary>
    internal void Confirmed(int place, StreamMessage frame)
    {
        lock (_lock)
        {
            var one = _newest.Perspectives[place];
            (one.Step, one.GameLoop) = ((ulong)frame.Step, (uint)frame.Loop);
            one.Frames++;
        }
    }

    /// <summary>Frames of a perspective are missing.</summary>
    internal void Missed(Gap gap)
    {
        lock (_lock)
        {
            _newest.Perspectives.First(one => one.Perspective == gap.Perspective).Missing += gap.Steps;
        }
    }

    /// <summary>The next messages.</summary>
    /// <param name="running">The number of the stream that tells of those that run.</param>
    /// <param name="directory">That of the directory, which is told rarely.</param>
    /// <param name="end">How the match ended; null while it runs.</param>
    internal IReadOnlyList<Outgoing> Make(int running, int directory, MatchEnd? end)
    {
        lock (_lock)
        {
            (_newest.CreatedMs, _newest.End) = (DateTimeOffset.UtcNow.ToUnixTimeMilliseconds(), end);
            var body = _newest.ToByteArray();
            var told = new Outgoing(running, new StreamMessage(MessageKind.Announcement, _sequences.Running++, body));
            var now = Environment.TickCount64;
            if (end is null && now - _listedMs < _listedEach.TotalMilliseconds)
            {
                return [told];
            }

            _listedMs = now;
            return [new Outgoing(directory, told.Message with { Sequence = _sequences.Directory++ }), told];
        }
    }
}
