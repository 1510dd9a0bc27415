namespace Sc2Bridge.Testing;

/// <summary>Waits for a condition, for a minute at most. Test projects import its members (Directory.Build.props).</summary>
public static class Eventually
{
    /// <summary>The test's cancellation token.</summary>
    public static CancellationToken Ct => TestContext.Current.CancellationToken;

    public static Task HoldsAsync(Func<bool> condition) => HoldsAsync(() => Task.FromResult(condition()));

    public static async Task HoldsAsync(Func<Task<bool>> condition)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        end.CancelAfter(TimeSpan.FromMinutes(1));
        while (!await condition())
        {
            await Task.Delay(5, end.Token);
        }
    }
}
