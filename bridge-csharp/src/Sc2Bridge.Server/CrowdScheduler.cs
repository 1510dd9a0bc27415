using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Serves subscribers. Those whose messages are work, and for whom the match does not wait, take turns, on as many threads as
/// leave a core to all others: a crowd of them is late itself, and what is sent to an agent does not wait behind what a
/// frame has the thread pool do for each of the crowd.
/// </summary>
internal static class CrowdScheduler
{
    private static readonly TaskScheduler _crowd = new ConcurrentExclusiveSchedulerPair(
        TaskScheduler.Default, Math.Max(1, Environment.ProcessorCount - 1), maxItemsPerTask: 1).ConcurrentScheduler;

    /// <summary>Serves a subscriber, from another thread.</summary>
    /// <param name="subscription">The subscriber's.</param>
    /// <param name="serveAsync">All of it.</param>
    public static Task ServeAsync(Subscription subscription, Func<Task> serveAsync) => Task.Factory.StartNew(
        serveAsync,
        CancellationToken.None,
        TaskCreationOptions.DenyChildAttach,
        subscription.MayHold || subscription.IsInline ? TaskScheduler.Default : _crowd).Unwrap();
}
