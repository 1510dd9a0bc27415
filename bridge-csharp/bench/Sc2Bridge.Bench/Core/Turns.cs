namespace Sc2Bridge.Bench;

/// <summary>Targets that are measured in turn: what disturbs the machine for a while disturbs all of them.</summary>
internal static class Turns
{
    /// <summary>Measures each target in each round. A first round meets cold code, and is not kept.</summary>
    /// <param name="targets">What is measured.</param>
    /// <param name="rounds">How often.</param>
    /// <param name="measure">Measures a target; told whether it is the first round.</param>
    /// <returns>The rounds of each target, in their order.</returns>
    public static async Task<IReadOnlyList<List<TRound>>> RunAsync<TTarget, TRound>(
        IReadOnlyList<TTarget> targets, int rounds, Func<TTarget, bool, Task<TRound>> measure)
    {
        List<List<TRound>> kept = [.. targets.Select(_ => new List<TRound>())];
        for (var round = 0; round <= rounds; round++)
        {
            Console.Error.WriteLine(round == 0 ? "warming up" : $"round {round} of {rounds}");
            foreach (var (index, target) in targets.Index())
            {
                var measured = await measure(target, round == 0);
                if (round > 0)
                {
                    kept[index].Add(measured);
                }
            }
        }

        return kept;
    }

    /// <summary>
    /// Waits for what belongs together. The first that fails says why: the others, which would wait without an end, are
    /// cancelled.
    /// </summary>
    public static async Task AllAsync(CancellationTokenSource failing, params Task[] parts)
    {
        await foreach (var ended in Task.WhenEach(parts))
        {
            if (!ended.IsCompletedSuccessfully)
            {
                await failing.CancelAsync();
                await ended;
            }
        }
    }
}
