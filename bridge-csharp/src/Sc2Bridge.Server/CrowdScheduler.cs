using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Runs the frame loops of subscribers. Subscribers with slow encoders that do not delay the match share a pool of cores − 1 threads.
/// These subscribers then delay only each other: messages to other agents do not queue behind the slow work in the thread pool.
/// </summary>
internal static class CrowdScheduler
{
    private static readonly TaskScheduler _crowd = new ConcurrentExclusiveSchedulerPair(
        TaskScheduler.Default, Math.Max(1, Environment.ProcessorCount - 1), maxItemsPerTask: 1).ConcurrentScheduler;

    /// <summary>Starts the frame loop of a subscriber on another thread.</summary>
    /// <param name="subscription">The subscription.</param>
    /// <param name="serveAsync">The whole loop.</param>
    public static Task ServeAsync(Subscription subscription, Func<Task> serveAsync) => Task.Factory.StartNew(
        serveAsync,
        CancellationToken.None,
        TaskCreationOptions.DenyChildAttach,
        subscription.CanDelayMatch || subscription.IsInline ? TaskScheduler.Default : _crowd).Unwrap();
}
