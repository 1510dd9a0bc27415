using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// Shows the progress of a match: the step, the rate, the recording, and the queue of each subscriber.
/// </summary>
/// <param name="title">The map and the game.</param>
/// <param name="progress">The match's progress.</param>
/// <param name="steps">The maximum number of steps; 0 for no limit.</param>
/// <param name="hub">The hub with the subscribers.</param>
/// <param name="health">The current problems.</param>
/// <param name="recorder">The recorder; null if nothing is recorded.</param>
/// <param name="keys">The keys that control the playback; null if the match is not a playback.</param>
/// <param name="time">The clock.</param>
internal sealed class ProgressDisplay(
    string title, Func<MatchProgress> progress, ulong steps, Hub hub, HealthOfBridge health, MatchRecorder? recorder, PlaybackKeys? keys,
    TimeProvider time)
{
    internal const double LoopsPerSecond = 22.4;

    /// <summary>The maximum number of subscribers that are named. The others are counted.</summary>
    internal const int MaxNamed = 16;

    // A subscriber with a shorter queue is not behind, because its queued observations are in transit. 16 observations are
    // about one second of a match at normal speed.
    private const int MinQueuedBehind = 16;
    private const int LongestName = 24;
    private readonly Pace _stepRate = new(time);

    /// <summary>The rows to show now.</summary>
    /// <param name="maxRows">The number of rows that fit.</param>
    internal IReadOnlyList<ProgressRow> Rows(int maxRows)
    {
        var now = progress();
        var rate = _stepRate.Measure(now.Step);
        List<ProgressRow> rows = [new(title), ProgressLine(now, rate)];
        rows.Add(new($"{FormatBytes(now.LastBytes)} an observation", DescribeRecording()));
        rows.AddRange(health.Now.Reasons.Select(reason => new ProgressRow(reason) { IsWarning = true }));
        if (keys is not null)
        {
            rows.AddRange(keys.DescribeState().Split("; ").Select(part => new ProgressRow(part)));
        }

        return [.. rows.Take(maxRows), .. SubscriberRows(hub.Subscribers, Math.Clamp(maxRows - rows.Count, 0, MaxNamed + 1))];
    }

    /// <summary>A row for each subscriber, with its queue. If not all fit, the subscribers with the longest queues are shown.</summary>
    /// <param name="subscribers">All subscribers.</param>
    /// <param name="maxRows">The number of rows that fit.</param>
    internal static IReadOnlyList<ProgressRow> SubscriberRows(IReadOnlyList<SubscriberState> subscribers, int maxRows)
    {
        var all = subscribers.Where(one => one is { Internal: false, HasEnded: false }).ToList();
        if (all.Count <= Math.Min(maxRows, MaxNamed))
        {
            return [.. all.Select(Row)];
        }

        var named = Math.Clamp(maxRows - 1, 0, MaxNamed);
        return
        [
            .. all.OrderByDescending(one => one.Queued).Take(named).Select(Row),
            new($"and {all.Count - named} more", $"{all.Count(IsBehind)} behind"),
        ];
    }

    private static bool IsBehind(SubscriberState one) => one.Queued >= MinQueuedBehind;

    private static ProgressRow Row(SubscriberState one) => new(
        one.Name.Length > LongestName ? $"{one.Name[..(LongestName - 1)]}…" : one.Name,
        $"{one.Queued} behind",
        one.Dropped > 0 ? $"{one.Dropped} dropped" : "",
        $"{one.Transport} {one.Policy.ToString().ToLowerInvariant()}",
        $"{one.Delivered} delivered",
        one.Queued > 0 ? $"{FormatBytes(one.QueuedBytes)} wait" : "")
    {
        IsWarning = IsBehind(one),
    };

    private ProgressRow ProgressLine(MatchProgress now, double rate)
    {
        var pace = string.Create(CultureInfo.InvariantCulture, $"{rate:0.0} steps/s");
        var gameTime = $"game time {ProgressRow.FormatClock(TimeSpan.FromSeconds(now.GameLoop / LoopsPerSecond))}";
        var playback = keys?.State;
        var (done, all) = playback is null ? ((double)now.Step, (double)steps)
            : (playback.Step - (double)playback.FirstStep, playback.LastStep - (double)playback.FirstStep);
        return all <= 0
            ? new(pace, gameTime, $"step {now.Step}")
            : new(
                playback?.Repeats == true ? "" : ProgressRow.TimeLeft(all - done, rate), pace, gameTime,
                playback is null ? $"step {now.Step} of {steps}" : $"step {now.Step}")
            {
                Done = done / all,
            };
    }

    private string DescribeRecording() => recorder?.Figures switch
    {
        null => "",
        { Problem: not null } => "no recording any more",
        { MissingObservations: > 0 } less => $"recorded {FormatBytes(less.Bytes)}, {less.MissingObservations} missing",
        { } whole => $"recorded {FormatBytes(whole.Bytes)}",
    };

    private static string FormatBytes(long bytes) => bytes < 1 << 20
        ? string.Create(CultureInfo.InvariantCulture, $"{bytes / 1024.0:0.0} KiB")
        : string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:0.0} MiB");
}
