namespace Sc2Bridge.Server;

/// <summary>What an agent may still say when it was sent the end of its match.</summary>
internal static class CloseGracePeriod
{
    // It may think long over frames that it holds already; but it may also never come to them.
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(5);

    // To end its side, for one that reports no times.
    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    /// <summary>Waits for the times of the last step, where the agent reports times, and a moment for it to leave.</summary>
    /// <param name="subscription">Its last event was sent.</param>
    /// <param name="left">Completes where the agent says no more.</param>
    /// <param name="ct">The connection ended: not waited for any more.</param>
    public static async Task WaitAsync(Streaming.Subscription subscription, Task left, CancellationToken ct)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(ct);
        await Task.WhenAny(left, subscription.LastTimesAsync(), Task.Delay(Longest, over.Token));
        await Task.WhenAny(left, Task.Delay(Moment, over.Token));
        await over.CancelAsync();
    }
}
