using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>
/// How a match goes: how far it is, its rate, what is recorded, and each subscriber with how far behind it is.
/// </summary>
/// <param name="title">Which game it is.</param>
/// <param name="progress">How far it is.</param>
/// <param name="steps">The most steps; 0 for no limit.</param>
/// <param name="hub">Knows the subscribers.</param>
/// <param name="health">What is wrong.</param>
/// <param name="recorder">Null if nothing is recorded.</param>
/// <param name="keys">Null if it cannot be paused or moved.</param>
/// <param name="time">The clock.</param>
internal sealed class ProgressDisplay(
    string title, Func<MatchProgress> progress, ulong steps, Hub hub, HealthOfBridge health, MatchRecorder? recorder, PlaybackKeys? keys,
    TimeProvider time)
{
    internal const double LoopsPerSecond = 22.4;

    /// <summary>The most subscribers that are named; the rest is counted.</summary>
    internal const int MostNamed = 16;

    // Observations. A second of a match at its usual pace: fewer are on the way and not behind.
    private const int Behind = 16;
    private const int LongestName = 24;
    private readonly Pace _pace = new(time);

    /// <summary>What is shown now.</summary>
    /// <param name="most">Rows that fit.</param>
    internal IReadOnlyList<ProgressRow> Rows(int most)
    {
        var now = progress();
        var rate = _pace.Measure(now.Step);
        List<ProgressRow> rows = [new(title), Advance(now, rate)];
        rows.Add(new($"{Bytes(now.LastBytes)} an observation", Recorded()));
        rows.AddRange(health.Now.Reasons.Select(reason => new ProgressRow(reason) { IsMarked = true }));
        if (keys is not null)
        {
            rows.AddRange(keys.Line().Split("; ").Select(part => new ProgressRow(part)));
        }

        return [.. rows.Take(most), .. Subscribers(hub.Subscribers, Math.Clamp(most - rows.Count, 0, MostNamed + 1))];
    }

    /// <summary>Each subscriber, and how far behind it is. The slowest come first if there is no room for all.</summary>
    /// <param name="subscribers">All of them.</param>
    /// <param name="most">Rows that fit.</param>
    internal static IReadOnlyList<ProgressRow> Subscribers(IReadOnlyList<SubscriberState> subscribers, int most)
    {
        var all = subscribers.Where(one => one is { Internal: false, HasEnded: false }).ToList();
        if (all.Count <= Math.Min(most, MostNamed))
        {
            return [.. all.Select(Row)];
        }

        var named = Math.Clamp(most - 1, 0, MostNamed);
        return
        [
            .. all.OrderByDescending(one => one.Queued).Take(named).Select(Row),
            new($"and {all.Count - named} more", $"{all.Count(IsBehind)} behind"),
        ];
    }

    private static bool IsBehind(SubscriberState one) => one.Queued >= Behind;

    private static ProgressRow Row(SubscriberState one) => new(
        one.Name.Length > LongestName ? $"{one.Name[..(LongestName - 1)]}…" : one.Name,
        $"{one.Queued} behind",
        one.Dropped > 0 ? $"{one.Dropped} dropped" : "",
        $"{one.Transport} {one.Policy.ToString().ToLowerInvariant()}",
        $"{one.Delivered} delivered",
        one.Queued > 0 ? $"{Bytes(one.QueuedBytes)} wait" : "")
    {
        IsMarked = IsBehind(one),
    };

    private ProgressRow Advance(MatchProgress now, double rate)
    {
        var pace = string.Create(CultureInfo.InvariantCulture, $"{rate:0.0} steps/s");
        var gameTime = $"game time {ProgressRow.Clock(TimeSpan.FromSeconds(now.GameLoop / LoopsPerSecond))}";
        var playback = keys?.State;
        var (done, all) = playback is null ? ((double)now.Step, (double)steps)
            : (playback.Step - (double)playback.FirstStep, playback.LastStep - (double)playback.FirstStep);
        return all <= 0
            ? new(pace, gameTime, $"step {now.Step}")
            : new(
                playback?.Repeats == true ? "" : ProgressRow.Left(all - done, rate), pace, gameTime,
                playback is null ? $"step {now.Step} of {steps}" : $"step {now.Step}")
            {
                Done = done / all,
            };
    }

    private string Recorded() => recorder?.Figures switch
    {
        null => "",
        { Problem: not null } => "no recording any more",
        { MissingObservations: > 0 } less => $"recorded {Bytes(less.Bytes)}, {less.MissingObservations} missing",
        { } whole => $"recorded {Bytes(whole.Bytes)}",
    };

    private static string Bytes(long bytes) => bytes < 1 << 20
        ? string.Create(CultureInfo.InvariantCulture, $"{bytes / 1024.0:0.0} KiB")
        : string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:0.0} MiB");
}
