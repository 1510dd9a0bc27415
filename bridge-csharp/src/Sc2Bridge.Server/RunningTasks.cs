using System.Collections.Concurrent;

namespace Sc2Bridge.Server;

/// <summary>Tracks running tasks. Completed tasks are removed. Thread-safe.</summary>
internal sealed class RunningTasks
{
    private readonly ConcurrentDictionary<Task, bool> _running = [];

    public int Count => _running.Count;

    /// <summary>Tracks a task until it completes.</summary>
    public void Add(Task task)
    {
        _running[task] = true;
        task.ContinueWith(
            ended => _running.TryRemove(ended, out _), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>Waits for the tasks that run now.</summary>
    public Task WaitAllAsync() => Task.WhenAll(_running.Keys);
}
