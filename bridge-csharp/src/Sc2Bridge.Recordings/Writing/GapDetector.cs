using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>Finds where observations are missing, by the steps of those that are there. For one thread.</summary>
internal sealed class GapDetector
{
    private readonly Dictionary<uint, ulong> _next = [];

    // Perspectives that are complete again since the last loss.
    private readonly HashSet<uint> _resumed = [];
    private string? _lost;

    /// <summary>From now on observations are lost, until the next one of each perspective.</summary>
    /// <param name="reason">Why.</param>
    public void Lose(string reason)
    {
        _lost = reason;
        _resumed.Clear();
    }

    /// <summary>Perspectives whose steps are missed where no frame of them comes.</summary>
    public void Expect(IEnumerable<uint> perspectives)
    {
        foreach (var perspective in perspectives)
        {
            _next.TryAdd(perspective, 0);
        }
    }

    /// <summary>What is missing before a frame; null where it is the next one.</summary>
    /// <param name="header">What it is.</param>
    /// <param name="isJump">A playback was moved there.</param>
    public Gap? Before(in FrameHeader header, bool isJump = false)
    {
        var next = _next.GetValueOrDefault(header.Perspective);
        return header.Step > next
            ? Missing(header.Perspective, next, header.Step, isJump ? "the replay was moved on" : null)
            : null;
    }

    /// <summary>A perspective's steps before this one are there, or known to be missing.</summary>
    public void Passed(uint perspective, ulong next)
    {
        _next[perspective] = next;
        _resumed.Add(perspective);
    }

    /// <summary>The match has ended, or nothing more comes.</summary>
    /// <param name="newestStep">The last step of a perspective; null where it had none.</param>
    /// <returns>What is missing before its end, of each perspective that was seen or expected.</returns>
    public IReadOnlyList<Gap> End(Func<uint, ulong?> newestStep) =>
    [
        .. from next in _next
           where LossOf(next.Key) is not null
           let last = newestStep(next.Key)
           where next.Value <= last
           select Missing(next.Key, next.Value, last.Value + 1),
    ];

    private string? LossOf(uint perspective) => _resumed.Contains(perspective) ? null : _lost;

    private Gap Missing(uint perspective, ulong first, ulong until, string? reason = null) => new()
    {
        Perspective = perspective,
        FirstStep = first,
        Steps = until - first,
        Reason = LossOf(perspective) ?? reason ?? "they were published before the recorder subscribed",
    };
}
