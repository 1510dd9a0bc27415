namespace Sc2Bridge.Server.Tests;

public sealed class RunningTasksTests
{
    [Fact]
    public async Task Tasks_that_have_ended_are_not_kept()
    {
        var running = new RunningTasks();
        var (first, second) = (new TaskCompletionSource(), new TaskCompletionSource());
        running.Add(Task.CompletedTask);
        running.Add(first.Task);
        running.Add(second.Task);
        first.SetResult();
        await HoldsAsync(() => running.Count == 1);
        var ended = running.WaitAllAsync();
        Assert.False(ended.IsCompleted);
        second.SetResult();
        await ended;
        await HoldsAsync(() => running.Count == 0);
    }
}
