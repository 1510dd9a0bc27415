namespace Sc2Bridge.Streaming;

/// <summary>
/// Waits until subscribers have read the rest of a match that has ended: their queued frames, and its end. The wait is
/// limited: a slow subscriber must not delay the end of the program, or the next match.
/// </summary>
public static class LastReaders
{
    /// <summary>The longest wait in total.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(1);

    /// <summary>The longest wait without progress. Agents that the bridge started get the same time.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    /// <summary>The longest wait for clients without the role <c>hold</c>, and for all clients if the match was interrupted.</summary>
    public static readonly TimeSpan LongestWaitForOthers = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(20);

    /// <summary>Waits until all subscribers have read their last event, or a limit has passed.</summary>
    /// <param name="hub">The hub of the subscribers.</param>
    /// <param name="match">The match that has ended.</param>
    /// <param name="time">The clock.</param>
    /// <param name="interrupted">
    /// Cancelled if the user wants the program to end. Then <see cref="LongestWaitForOthers"/> is the limit for all clients.
    /// </param>
    public static async Task WaitAsync(Hub hub, string match, TimeProvider time, CancellationToken interrupted)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(time);
        var startedAt = time.GetTimestamp();
        var (progress, progressAt) = (-1L, startedAt);
        while (time.GetElapsedTime(startedAt) < LongestWait && time.GetElapsedTime(progressAt) < Patience
            && hub.Subscribers.Where(one => one is { Internal: false, HasEnded: true } && one.MatchId == match
                && ((one.MayHold && !interrupted.IsCancellationRequested) || time.GetElapsedTime(startedAt) < LongestWaitForOthers)).ToList()
                is { Count: > 0 } readers)
        {
            // A subscriber that has left counts as progress too.
            var now = readers.Sum(reader => reader.Delivered) - ((long)readers.Count << 40);
            (progress, progressAt) = now == progress ? (progress, progressAt) : (now, time.GetTimestamp());
            await Task.Delay(PollInterval, time, CancellationToken.None).ConfigureAwait(false);
        }
    }
}
