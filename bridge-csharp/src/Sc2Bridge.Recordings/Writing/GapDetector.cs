using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Writing;

/// <summary>Finds where observations are missing, by the steps of those that are there. For one thread.</summary>
internal sealed class GapDetector
{
    private readonly Dictionary<uint, ulong> _next = [];

    /// <summary>Why observations are missing since it was set; null where none was lost.</summary>
    public string? Lost { get; set; }

    /// <summary>A frame comes.</summary>
    /// <param name="header">What it is.</param>
    /// <param name="isJump">A playback was moved there.</param>
    /// <returns>What is missing before it; null where it is the next one.</returns>
    public Gap? Come(in FrameHeader header, bool isJump = false)
    {
        var next = _next.GetValueOrDefault(header.Perspective);
        _next[header.Perspective] = header.Step + 1;
        return header.Step > next
            ? Missing(header.Perspective, next, header.Step, isJump ? "the replay was moved on" : null)
            : null;
    }

    /// <summary>The match has ended.</summary>
    /// <param name="newestStep">The last step of a perspective.</param>
    /// <returns>What is missing before its end, of each perspective that was seen.</returns>
    public IReadOnlyList<Gap> End(Func<uint, ulong> newestStep) => Lost is null
        ? []
        : [
            .. from next in _next
               let last = newestStep(next.Key)
               where next.Value <= last
               select Missing(next.Key, next.Value, last + 1),
        ];

    private Gap Missing(uint perspective, ulong first, ulong until, string? reason = null) => new()
    {
        Perspective = perspective,
        FirstStep = first,
        Steps = until - first,
        Reason = Lost ?? reason ?? "they were published before the recorder subscribed",
    };
}
