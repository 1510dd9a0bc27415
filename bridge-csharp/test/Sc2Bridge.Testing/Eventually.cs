using Xunit;

namespace Sc2Bridge.Testing;

/// <summary>Waits for a condition, for a minute at most.</summary>
public static class Eventually
{
    public static Task HoldsAsync(Func<bool> condition) => HoldsAsync(() => Task.FromResult(condition()));

    public static async Task HoldsAsync(Func<Task<bool>> condition)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        end.CancelAfter(TimeSpan.FromMinutes(1));
        while (!await condition())
        {
            await Task.Delay(5, end.Token);
        }
    }
}
