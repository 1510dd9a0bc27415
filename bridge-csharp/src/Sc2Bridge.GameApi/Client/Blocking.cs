namespace Sc2Bridge.GameApi;

/// <summary>Waits on the calling thread, which is there for that and nothing else.</summary>
internal static class Blocking
{
    /// <summary>Returns when it is done; throws what it failed with.</summary>
    internal static void Wait(ValueTask done)
    {
        if (done.IsCompleted)
        {
            done.GetAwaiter().GetResult();
        }
        else
        {
            done.AsTask().GetAwaiter().GetResult();
        }
    }

    /// <inheritdoc cref="Wait(ValueTask)"/>
    internal static T Wait<T>(ValueTask<T> done) =>
        done.IsCompleted ? done.GetAwaiter().GetResult() : done.AsTask().GetAwaiter().GetResult();
}
