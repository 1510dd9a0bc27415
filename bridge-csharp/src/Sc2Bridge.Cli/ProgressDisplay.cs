using System.Globalization;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>
/// Shows how a match goes: a live table on a terminal (step, game time, rate, bytes, each subscriber and how far behind
/// it is), a plain line every few seconds elsewhere.
/// </summary>
internal sealed class ProgressDisplay(
    TerminalConsole console, string title, Func<MatchProgress> progress, Hub hub, HealthOfBridge health,
    MatchRecorder? recorder, PlaybackKeys? keys)
{
    internal const double LoopsPerSecond = 22.4;

    /// <summary>The most subscribers that are named; the rest is counted.</summary>
    internal const int MostNamed = 16;

    private static readonly TimeSpan LinePeriod = TimeSpan.FromSeconds(5);
    private ulong _stepsBefore;
    private long _timeBefore = MonotonicClock.NowNs;

    /// <summary>Shows it until it is cancelled.</summary>
    internal async Task RunAsync(CancellationToken ended)
    {
        if (console.HasLiveTables)
        {
            await console.ShowAsync(Table, clears: false, ended);
            return;
        }

        for (var first = true; !ended.IsCancellationRequested; first = false)
        {
            if (!first)
            {
                console.WriteLine(Line());
            }

            await TerminalConsole.WaitAsync(LinePeriod, ended);
        }
    }

    private Rows Table()
    {
        var (now, rate) = Measure();
        var table = Table(title, hub.Subscribers);
        string[] lines = [Describe(now, rate), .. keys is null ? Array.Empty<string>() : [keys.Line()]];
        return new Rows([table, .. lines.Select(line => new Text(PlainText.Escape(line)))]);
    }

    /// <summary>Each subscriber, and how far behind it is.</summary>
    internal static TextTable Table(string title, IReadOnlyList<SubscriberState> subscribers)
    {
        var table = new TextTable(title, ["subscriber", "transport", "policy"], "delivered", "behind", "dropped");
        var (named, others) = Named(subscribers);
        foreach (var subscriber in named)
        {
            table.Add(
                subscriber.Name,
                subscriber.Transport,
                PolicyName(subscriber),
                subscriber.Delivered.ToString(CultureInfo.InvariantCulture),
                $"{subscriber.Queued} ({Bytes(subscriber.QueuedBytes)})",
                subscriber.Dropped.ToString(CultureInfo.InvariantCulture));
        }

        if (others > 0)
        {
            table.Add($"and {others} more", "", "", "", "", "");
        }

        return table;
    }

    private string Line()
    {
        var (now, rate) = Measure();
        string?[] parts = [Describe(now, rate), Behind(hub.Subscribers), keys?.Line()];
        return string.Join("; ", parts.Where(part => !string.IsNullOrEmpty(part)));
    }

    /// <summary>How far behind each subscriber is, as a part of a line.</summary>
    internal static string Behind(IReadOnlyList<SubscriberState> subscribers)
    {
        var (named, others) = Named(subscribers);
        return string.Join(", ", named.Select(one => $"{one.Name} {one.Queued} behind")) + (others > 0 ? $" and {others} more" : "");
    }

    private static (List<SubscriberState> Named, int Others) Named(IReadOnlyList<SubscriberState> subscribers)
    {
        var all = subscribers.Where(one => one is { Internal: false, HasEnded: false }).ToList();
        return ([.. all.Take(MostNamed)], Math.Max(0, all.Count - MostNamed));
    }

    private (MatchProgress Now, double Rate) Measure()
    {
        var now = progress();
        var time = MonotonicClock.NowNs;
        var rate = (now.Frames - _stepsBefore) * 1e9 / Math.Max(1, time - _timeBefore);
        (_stepsBefore, _timeBefore) = (now.Frames, time);
        return (now, rate);
    }

    private string Describe(MatchProgress now, double rate)
    {
        var gameTime = TimeSpan.FromSeconds(now.GameLoop / LoopsPerSecond);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"step {now.Step}, game time {gameTime:hh\\:mm\\:ss}, {rate:0.0} steps/s, "
            + $"{Bytes(now.LastBytes)} an observation{Recorded()}")
            + string.Concat(health.Now.Reasons.Select(reason => $", {reason}"));
    }

    private string Recorded() => recorder?.Figures switch
    {
        null => "",
        { Problem: not null } => ", no recording any more",
        { MissingObservations: > 0 } less => $", recorded {Bytes(less.Bytes)}, {less.MissingObservations} missing",
        { } whole => $", recorded {Bytes(whole.Bytes)}",
    };

    private static string PolicyName(SubscriberState subscriber) =>
        subscriber.Policy.ToString().ToLowerInvariant();

    private static string Bytes(long bytes) => bytes < 1 << 20
        ? string.Create(CultureInfo.InvariantCulture, $"{bytes / 1024.0:0.0} KiB")
        : string.Create(CultureInfo.InvariantCulture, $"{bytes / 1048576.0:0.0} MiB");
}
