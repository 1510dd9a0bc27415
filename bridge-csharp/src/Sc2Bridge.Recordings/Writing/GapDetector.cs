using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>Finds missing observations by their steps. Not thread-safe.</summary>
internal sealed class GapDetector
{
    private readonly Dictionary<uint, ulong> _nextSteps = [];

    // Perspectives whose observations have continued since the last loss.
    private readonly HashSet<uint> _resumed = [];
    private string? _lossReason;

    /// <summary>Notes that observations are lost from now on, until the next observation of each perspective.</summary>
    /// <param name="reason">The reason that these gaps get.</param>
    public void MarkLost(string reason)
    {
        _lossReason = reason;
        _resumed.Clear();
    }

    /// <summary>Adds perspectives whose steps count as missing even if no frame of them arrives.</summary>
    public void ExpectPerspectives(IEnumerable<uint> perspectives)
    {
        foreach (var perspective in perspectives)
        {
            _nextSteps.TryAdd(perspective, 0);
        }
    }

    /// <summary>The gap before a frame; null if no step is missing before it.</summary>
    /// <param name="header">The frame's header.</param>
    /// <param name="isJump">Whether a playback jumped to this frame.</param>
    public Gap? GapBefore(in FrameHeader header, bool isJump = false)
    {
        var next = _nextSteps.GetValueOrDefault(header.Perspective);
        return header.Step > next
            ? MakeGap(header.Perspective, next, header.Step, isJump ? "the replay was moved on" : null)
            : null;
    }

    /// <summary>Sets the next expected step of a perspective. Earlier steps are recorded or known to be missing.</summary>
    public void SetNextStep(uint perspective, ulong next)
    {
        _nextSteps[perspective] = next;
        _resumed.Add(perspective);
    }

    /// <summary>The gaps at the end of the match or of the recording.</summary>
    /// <param name="newestStep">Returns a perspective's newest step; null if it has no step.</param>
    /// <returns>A gap for each known perspective whose last steps are lost.</returns>
    public IReadOnlyList<Gap> GapsAtEnd(Func<uint, ulong?> newestStep) =>
    [
        .. from next in _nextSteps
           where LossReasonOf(next.Key) is not null
           let last = newestStep(next.Key)
           where next.Value <= last
           select MakeGap(next.Key, next.Value, last.Value + 1),
    ];

    private string? LossReasonOf(uint perspective) => _resumed.Contains(perspective) ? null : _lossReason;

    private Gap MakeGap(uint perspective, ulong first, ulong until, string? reason = null) => new()
    {
        Perspective = perspective,
        FirstStep = first,
        Steps = until - first,
        Reason = LossReasonOf(perspective) ?? reason ?? "they were published before the recorder subscribed",
    };
}
