using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>Counts one reader's frames and holds each to be the next.</summary>
internal sealed class FrameTally(string name, int frames)
{
    private ulong? _previous;

    public string Name { get; } = name;

    public List<double> DelaysUs { get; } = new(frames);

    public bool Complete => DelaysUs.Count == frames;

    /// <summary>Every frame, and the game waits for who is slow: so that none may be lost.</summary>
    public V1.SubscribeRequest Subscription => new()
    {
        Policy = Policy.Every,
        Overflow = Overflow.Pause,
        Agent = Name,
    };

    /// <summary>Takes a frame that stands in any number of pieces.</summary>
    /// <exception cref="MeasuringException">It is not the one after the last.</exception>
    public void Count(in ReadOnlySequence<byte> message)
    {
        Span<byte> head = stackalloc byte[FrameHead.LongestLength];
        var length = (int)Math.Min(message.Length, head.Length);
        message.Slice(0, length).CopyTo(head);
        Count(head[..length]);
    }

    /// <summary>Takes a frame, of which at least the envelope is in the span.</summary>
    /// <exception cref="MeasuringException">It is not the one after the last.</exception>
    public void Count(ReadOnlySpan<byte> head)
    {
        var now = MonotonicClock.NowNs;
        var (step, arrived) = FrameHead.Read(head);
        if (_previous is { } previous && step != previous + 1)
        {
            throw new MeasuringException($"{Name}: step {step} came after step {previous}");
        }

        _previous = step;
        DelaysUs.Add((now - arrived) / 1000.0);
    }
}

/// <summary>Reads a frame's envelope.</summary>
internal static class FrameHead
{
    /// <summary>More than the envelopes of this benchmark have.</summary>
    public const int LongestLength = 256;

    public static (ulong Step, long ObservedNs) Read(ReadOnlySpan<byte> head)
    {
        var at = 0;
        if (Varint(head, ref at) != WireFormat.MakeTag(Event.FrameFieldNumber, WireFormat.WireType.LengthDelimited))
        {
            throw new MeasuringException("an event came that is no frame");
        }

        Varint(head, ref at);
        ulong step = 0;
        long arrived = 0;
        while (true)
        {
            var tag = (uint)Varint(head, ref at);
            var value = Varint(head, ref at);
            switch (WireFormat.GetTagFieldNumber(tag))
            {
                case V1.Frame.ObservationFieldNumber:
                    return (step, arrived);
                case V1.Frame.StepFieldNumber:
                    step = value;
                    break;
                case V1.Frame.ObservedNsFieldNumber:
                    arrived = (long)value;
                    break;
                default:
                    at += WireFormat.GetTagWireType(tag) == WireFormat.WireType.LengthDelimited ? (int)value : 0;
                    break;
            }
        }
    }

    private static ulong Varint(ReadOnlySpan<byte> bytes, ref int at)
    {
        ulong value = 0;
        for (var shift = 0; ; shift += 7)
        {
            var part = bytes[at++];
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
            {
                return value;
            }
        }
    }
}
