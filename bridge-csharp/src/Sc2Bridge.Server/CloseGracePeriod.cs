namespace Sc2Bridge.Server;

/// <summary>How long a stream stays open after the end of its match, for the agent's last messages.</summary>
internal static class CloseGracePeriod
{
    // For an agent that reports times: it may still be busy with frames that it holds.
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(5);

    // For an agent that reports no times, to end its side.
    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    /// <summary>Waits for the times of the last step, where the agent reports times, and a moment for it to leave.</summary>
    /// <param name="subscription">Its last event was sent.</param>
    /// <param name="left">Completes when the agent has ended its side.</param>
    /// <param name="ct">The connection ended: not waited for any more.</param>
    public static async Task WaitAsync(Streaming.Subscription subscription, Task left, CancellationToken ct)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(ct);
        await Task.WhenAny(left, subscription.LastTimesAsync(), Task.Delay(Longest, over.Token));
        await Task.WhenAny(left, Task.Delay(Moment, over.Token));
        await over.CancelAsync();
    }
}
