using System.Buffers;
using Google.Protobuf;

namespace Sc2Bridge.Streaming;

/// <summary>Summarizes the frames that one subscriber has skipped since its last frame. Not thread-safe.</summary>
/// <param name="exclude">Parts that the subscriber excludes. The events in these parts are left out too.</param>
internal sealed class SkippedEventsBuilder(PartSet exclude)
{
    /// <summary>
    /// The most bytes of events to keep: 1 MiB, about 100,000 dead units. Later frames are only counted
    /// (<c>Skipped.truncated_frames</c>), so the events for a client that stops reading use no more memory.
    /// </summary>
    public const int MaxEventBytes = 1 << 20;

    private readonly SortedSet<uint> _upgrades = [];
    private ArrayBufferWriter<byte>? _events;
    private ulong _truncatedFrames;

    /// <summary>The number of skipped frames.</summary>
    public ulong Frames { get; private set; }

    /// <summary>The memory of the kept events in bytes.</summary>
    public int Capacity => _events?.Capacity ?? 0;

    private ulong FirstStep { get; set; }

    /// <summary>Adds a frame that will not be delivered.</summary>
    public void Add(ObservationFrame frame)
    {
        if (Frames++ == 0)
        {
            FirstStep = frame.Header.Step;
        }

        // Dead units and upgrades are in the raw data. A subscriber that excludes raw data gets neither.
        var parts = exclude.HasFlag(PartSet.Raw) ? EventsWithoutRaw(frame) : frame.Events;
        if (parts.Bytes.Length > 0)
        {
            // If the events of one frame do not fit, later frames are only counted, so the kept events have no gaps.
            if (_truncatedFrames > 0 || (_events?.WrittenCount ?? 0) + parts.Bytes.Length > MaxEventBytes)
            {
                _truncatedFrames++;
            }
            else
            {
                (_events ??= new(1024)).Write(parts.Bytes);
            }
        }

        foreach (var upgrade in parts.Upgrades)
        {
            // The game has about 300 upgrades. More than 4096 can only come from invalid data.
            if (_upgrades.Count < 4096)
            {
                _upgrades.Add(upgrade);
            }
        }
    }

    private static FrameEvents EventsWithoutRaw(ObservationFrame frame)
    {
        using var observation = frame.ObservationWithout(PartSet.Raw);
        return FrameEvents.Of(observation.Span);
    }

    /// <summary>Returns the serialized <c>Skipped</c> message, and clears the summary.</summary>
    public byte[] Build()
    {
        var head = new V1.Skipped { Frames = Frames, FirstStep = FirstStep, TruncatedFrames = _truncatedFrames };
        head.UpgradeIds.AddRange(_upgrades);
        var events = _events is null ? [] : _events.WrittenSpan;
        var size = head.CalculateSize();
        var bytes = new byte[size + events.Length];
        head.WriteTo(bytes.AsSpan(0, size));
        events.CopyTo(bytes.AsSpan(size));
        Clear();
        return bytes;
    }

    public void Clear()
    {
        Frames = 0;
        _upgrades.Clear();
        _events = null;
        _truncatedFrames = 0;
    }
}
