using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Finds the frames: a folder, or a late stretch of a simulated match.</summary>
internal static class FrameSource
{
    private const int Count = 16;

    public static MeasuredFrames Open(string? folder, CancellationToken ct) =>
        folder is null ? SimulatedFrames.Make(Count, ct) : MeasuredFrames.Load(folder);
}
