namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Finds the frames: a folder, or a late stretch of a simulated match.</summary>
internal static class FrameSource
{
    public static Task<BenchmarkFrames> OpenAsync(string? folder, CancellationToken ct)
    {
        ct.ThrowIfCancellationRequested();
        return Task.FromResult(BenchmarkFrames.Load(
            folder ?? throw new BenchmarkException("give --frames a folder of serialized ResponseObservations")));
    }
}
