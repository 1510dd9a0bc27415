using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Serves subscribers. Those whose messages are work, and for whom the match does not wait, take turns, on as many threads as
/// leave a core to all others: a crowd of them is late itself, and what is sent to an agent does not wait behind what a
/// frame has the thread pool do for each of the crowd. Where they are many they begin a little later, too.
/// </summary>
internal static class CrowdScheduler
{
    private static readonly TaskScheduler Crowd = new ConcurrentExclusiveSchedulerPair(
        TaskScheduler.Default, Math.Max(1, Environment.ProcessorCount - 1), maxItemsPerTask: 1).ConcurrentScheduler;

    // So many are work for the cores that takes longer than the head start.
    private static readonly int Few = 8 * Environment.ProcessorCount;

    // An agent on this machine has a frame within it, 99 times of 100.
    private static readonly TimeSpan HeadStart = TimeSpan.FromMilliseconds(3);

    private static int _crowd;

    /// <summary>Serves a subscriber, from another thread.</summary>
    /// <param name="subscription">The subscriber's.</param>
    /// <param name="serveAsync">All of it.</param>
    public static async Task ServeAsync(Subscription subscription, Func<Task> serveAsync)
    {
        var isOfCrowd = IsOfCrowd(subscription);
        Interlocked.Add(ref _crowd, isOfCrowd ? 1 : 0);
        try
        {
            await Task.Factory.StartNew(
                serveAsync,
                CancellationToken.None,
                TaskCreationOptions.DenyChildAttach,
                isOfCrowd ? Crowd : TaskScheduler.Default).Unwrap();
        }
        finally
        {
            Interlocked.Add(ref _crowd, isOfCrowd ? -1 : 0);
        }
    }

    /// <summary>
    /// Waits until the agents that the match waits for have had time to get a new frame, where the subscriber is one of many
    /// others. Frames that waited before go at once.
    /// </summary>
    /// <param name="subscription">The subscriber's.</param>
    /// <param name="frame">The frame that it gets next.</param>
    /// <param name="ended">The subscriber is gone.</param>
    /// <exception cref="OperationCanceledException">It is.</exception>
    public static Task AfterAgentsAsync(Subscription subscription, in FrameHeader frame, CancellationToken ended)
    {
        var age = TimeSpan.FromMicroseconds((MonotonicClock.NowNs - frame.ObservedNs) / 1000);
        return Volatile.Read(ref _crowd) > Few && IsOfCrowd(subscription) && age > TimeSpan.Zero && age < HeadStart
            ? Task.Delay(HeadStart - age, ended)
            : Task.CompletedTask;
    }

    private static bool IsOfCrowd(Subscription subscription) => !subscription.MayHold && !subscription.IsInline;
}
