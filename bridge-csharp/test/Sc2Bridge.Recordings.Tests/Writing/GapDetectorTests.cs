using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Recordings.Tests.Writing;

public sealed class GapDetectorTests
{
    private readonly GapDetector _detector = new();

    [Fact]
    public void A_loss_explains_the_gap_of_each_perspective_behind_it_and_no_later_one()
    {
        _detector.SetNextStep(1, 5);
        _detector.SetNextStep(2, 5);
        _detector.MarkLost("the disk was slow");
        Assert.Equal("the disk was slow", Before(perspective: 1, step: 8));
        _detector.SetNextStep(1, 9);
        Assert.Equal("the replay was moved on", Before(perspective: 1, step: 12, isJump: true));
        Assert.Equal("the disk was slow", Before(perspective: 2, step: 12, isJump: true));
    }

    [Fact]
    public void At_the_end_only_what_was_lost_last_is_missing()
    {
        _detector.SetNextStep(1, 5);
        _detector.SetNextStep(2, 5);
        _detector.MarkLost("the disk was slow");
        _detector.SetNextStep(1, 9);
        var gap = Assert.Single(_detector.GapsAtEnd(_ => 20));
        Assert.Equal((2u, 5ul, 16ul), (gap.Perspective, gap.FirstStep, gap.Steps));
    }

    private string? Before(uint perspective, ulong step, bool isJump = false) =>
        _detector.GapBefore(new FrameHeader(TestMatch.Name, perspective, step, 0, 0, 0), isJump)?.Reason;
}
