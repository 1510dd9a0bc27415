using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Finds the frames: a folder, or a late stretch of a simulated match.</summary>
internal static class FrameSource
{
    // Steps that follow each other, as a subscriber hears them: how alike they are decides what compressing costs. These
    // are the match's last ones, its largest; together they take more than the caches hold.
    private const int FirstLoop = 16_700;
    private const int Count = 64;

    public static MeasuredFrames Open(string? folder, CancellationToken ct) =>
        folder is null ? SimulatedFrames.Consecutive(FirstLoop, Count, ct) : MeasuredFrames.Load(folder);
}
