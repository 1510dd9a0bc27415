using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>Finds where observations are missing, by the steps of those that are there. For one thread.</summary>
internal sealed class GapDetector
{
    private readonly Dictionary<uint, ulong> _next = [];

    /// <summary>Why observations are missing since it was set; null where none was lost.</summary>
    public string? Lost { get; set; }

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
    public void Passed(uint perspective, ulong next) => _next[perspective] = next;

    /// <summary>The match has ended, or nothing more comes.</summary>
    /// <param name="newestStep">The last step of a perspective; null where it had none.</param>
    /// <returns>What is missing before its end, of each perspective that was seen or expected.</returns>
    public IReadOnlyList<Gap> End(Func<uint, ulong?> newestStep) => Lost is null
        ? []
        : [
            .. from next in _next
               let last = newestStep(next.Key)
               where next.Value <= last
               select Missing(next.Key, next.Value, last.Value + 1),
        ];

    private Gap Missing(uint perspective, ulong first, ulong until, string? reason = null) => new()
    {
        Perspective = perspective,
        FirstStep = first,
        Steps = until - first,
        Reason = Lost ?? reason ?? "they were published before the recorder subscribed",
    };
}
