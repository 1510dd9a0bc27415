namespace Sc2Bridge.Streaming;

/// <summary>
/// After the end of a match, subscribers may have frames queued, and the match's end after them. Waits for them, within bounds: a
/// slow subscriber must not hold up the end of the program, or the next match.
/// </summary>
public static class LastReaders
{
    /// <summary>How long they may take in total.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    /// <summary>How long they may take nothing at all: as with agents that the match started.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    /// <summary>How long clients without the role <c>hold</c> may take in total, and all if the match was interrupted.</summary>
    public static readonly TimeSpan LongestOfOthers = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(20);

    /// <summary>Waits until all have read their last event, or the time is over.</summary>
    /// <param name="hub">They subscribe to it.</param>
    /// <param name="match">The match that has ended.</param>
    /// <param name="time">Measures.</param>
    /// <param name="interrupted">The user wants the program to end: <see cref="LongestOfOthers"/> is the limit for all.</param>
    public static async Task WaitAsync(Hub hub, string match, TimeProvider time, CancellationToken interrupted)
    {
        ArgumentNullException.ThrowIfNull(hub);
        ArgumentNullException.ThrowIfNull(time);
        var begun = time.GetTimestamp();
        var (heard, since) = (-1L, begun);
        while (time.GetElapsedTime(begun) < Longest && time.GetElapsedTime(since) < Patience
            && hub.Subscribers.Where(one => one is { Internal: false, HasEnded: true } && one.MatchId == match
                && ((one.MayHold && !interrupted.IsCancellationRequested) || time.GetElapsedTime(begun) < LongestOfOthers)).ToList()
                is { Count: > 0 } readers)
        {
            // One that left counts as a step ahead too.
            var now = readers.Sum(reader => reader.Delivered) - ((long)readers.Count << 40);
            (heard, since) = now == heard ? (heard, since) : (now, time.GetTimestamp());
            await Task.Delay(Glance, time, CancellationToken.None).ConfigureAwait(false);
        }
    }
}
