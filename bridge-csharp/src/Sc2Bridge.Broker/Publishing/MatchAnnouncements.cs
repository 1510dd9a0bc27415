using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>Makes a match's announcements, with the progress that the broker has confirmed. Thread-safe.</summary>
internal sealed class MatchAnnouncements
{
    // A running match is added to the directory again at this interval. If the publisher is killed, the match expires when its
    // retention time has passed since the last entry. The directory still has that entry, so the streams can be found and deleted.
    private static readonly TimeSpan _listInterval = TimeSpan.FromHours(1);

    private readonly Lock _lock = new();
    private readonly Announcement _newest;
    private long? _lastListedMs;
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
            Perspectives = { match.Perspectives.Select(perspective => new PublishedPerspective { Perspective = perspective }) },
        };
        (_newest.Match.GameInfo, _newest.Match.Data, _newest.Match.Ping) = (null, null, null);
    }

    /// <summary>Counts a frame that the broker has confirmed. The index is the position of the perspective in the match's list of perspectives.</summary>
    internal void CountConfirmed(int perspectiveIndex, StreamMessage frame)
    {
        lock (_lock)
        {
            var progress = _newest.Perspectives[perspectiveIndex];
            (progress.Step, progress.GameLoop) = ((ulong)frame.Step, (uint)frame.GameLoop);
            progress.Frames++;
        }
    }

    /// <summary>Adds the missing frames of a gap to the count of its perspective.</summary>
    internal void AddMissing(Gap gap)
    {
        lock (_lock)
        {
            _newest.Perspectives.First(one => one.Perspective == gap.Perspective).Missing += gap.Steps;
        }
    }

    /// <summary>Makes the next announcements.</summary>
    /// <param name="running">The index of the stream of running matches.</param>
    /// <param name="directory">The index of the directory's stream. The directory gets an announcement only once an hour and at the end of the match.</param>
    /// <param name="end">How the match ended; null while it runs.</param>
    internal IReadOnlyList<Outgoing> Make(int running, int directory, MatchEnd? end)
    {
        lock (_lock)
        {
            (_newest.CreatedMs, _newest.End) = (DateTimeOffset.UtcNow.ToUnixTimeMilliseconds(), end);
            var body = _newest.ToByteArray();
            var announcement = new Outgoing(running, new StreamMessage(MessageKind.Announcement, _sequences.Running++, body));
            var now = Environment.TickCount64;
            if (end is null && now - _lastListedMs < _listInterval.TotalMilliseconds)
            {
                return [announcement];
            }

            _lastListedMs = now;
            return [new Outgoing(directory, announcement.Message with { Sequence = _sequences.Directory++ }), announcement];
        }
    }
}
