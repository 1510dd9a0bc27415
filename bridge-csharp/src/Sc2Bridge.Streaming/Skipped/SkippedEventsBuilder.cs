using System.Buffers;
using Google.Protobuf;

namespace Sc2Bridge.Streaming;

/// <summary>Sums up the frames that one subscriber skipped since its last. Not thread-safe.</summary>
/// <param name="exclude">Parts that the subscriber does not want; their events are left out too.</param>
internal sealed class SkippedEventsBuilder(PartSet exclude)
{
    /// <summary>
    /// The most bytes of events kept: 1 MiB, some 100,000 dead units. Frames after that are only counted
    /// (<c>Skipped.truncated_frames</c>), so that a reader that never reads again costs no more than this.
    /// </summary>
    public const int LongestBytes = 1 << 20;

    private readonly SortedSet<uint> _upgrades = [];
    private ArrayBufferWriter<byte>? _events;
    private ulong _cutOff;

    /// <summary>Frames summed up.</summary>
    public ulong Frames { get; private set; }

    /// <summary>Bytes of memory of the events kept.</summary>
    public int Capacity => _events?.Capacity ?? 0;

    private ulong FirstStep { get; set; }

    /// <summary>Adds a frame that will not be delivered.</summary>
    public void Add(ObservationFrame frame)
    {
        if (Frames++ == 0)
        {
            FirstStep = frame.Header.Step;
        }

        // All that is summed up is in the raw data.
        var parts = exclude.HasFlag(PartSet.Raw) ? EventsWithoutRaw(frame) : frame.Events;
        if (parts.Bytes.Length > 0)
        {
            // One that does not fit ends it: what is kept has no gaps.
            if (_cutOff > 0 || (_events?.WrittenCount ?? 0) + parts.Bytes.Length > LongestBytes)
            {
                _cutOff++;
            }
            else
            {
                (_events ??= new(1024)).Write(parts.Bytes);
            }
        }

        foreach (var upgrade in parts.Upgrades)
        {
            // There are about 300 upgrades in the game; other bytes are not the game's.
            if (_upgrades.Count < 4096)
            {
                _upgrades.Add(upgrade);
            }
        }
    }

    private static SkippedEvents EventsWithoutRaw(ObservationFrame frame)
    {
        using var observation = frame.ObservationWithout(PartSet.Raw);
        return SkippedEvents.Of(observation.Span);
    }

    /// <summary>The serialized <c>Skipped</c>; clears the sum.</summary>
    public byte[] Take()
    {
        var head = new V1.Skipped { Frames = Frames, FirstStep = FirstStep, TruncatedFrames = _cutOff };
        head.UpgradeIds.AddRange(_upgrades);
        var events = _events is null ? [] : _events.WrittenSpan;
        var size = head.CalculateSize();
        var bytes = new byte[size + events.Length];
        head.WriteTo(bytes.AsSpan(0, size));
        events.CopyTo(bytes.AsSpan(size));
        Clear();
        return bytes;
    }

    /// <summary>Clears the sum.</summary>
    public void Clear()
    {
        Frames = 0;
        _upgrades.Clear();
        _events = null;
        _cutOff = 0;
    }
}
