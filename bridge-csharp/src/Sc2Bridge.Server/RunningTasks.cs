using System.Collections.Concurrent;

namespace Sc2Bridge.Server;

/// <summary>Tasks that end by themselves. Those that have ended are not kept. Thread-safe.</summary>
internal sealed class RunningTasks
{
    private readonly ConcurrentDictionary<Task, bool> _running = [];

    /// <summary>How many run.</summary>
    public int Count => _running.Count;

    /// <summary>Keeps a task while it runs.</summary>
    public void Add(Task task)
    {
        _running[task] = true;
        task.ContinueWith(
            ended => _running.TryRemove(ended, out _), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
    }

    /// <summary>Waits for the tasks that run now.</summary>
    public Task EndAsync() => Task.WhenAll(_running.Keys);
}
