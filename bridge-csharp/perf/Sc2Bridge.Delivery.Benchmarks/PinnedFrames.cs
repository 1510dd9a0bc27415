using System.Buffers.Binary;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>The observations framed in pinned memory, as a handler with nothing else to do would keep them.</summary>
internal sealed class PinnedFrames
{
    /// <summary>The match's name in every envelope.</summary>
    public const string MatchName = "delivery";

    // gRPC's: not compressed, and the length in four bytes.
    private const int PrefixLength = 5;
    private const int Headroom = Protocol.MessageBuffer.Headroom;
    private readonly MeasuredFrames _frames;
    private readonly byte[][] _arrays;
    private ulong _step;

    public PinnedFrames(MeasuredFrames frames)
    {
        _frames = frames;
        _arrays = new byte[frames.Count][];
        for (var index = 0; index < _arrays.Length; index++)
        {
            var observation = frames.Observation((ulong)index);
            _arrays[index] = GC.AllocateUninitializedArray<byte>(Headroom + observation.Length, pinned: true);
            observation.CopyTo(_arrays[index], Headroom);
        }
    }

    /// <summary>The next one, stamped now, with gRPC's prefix: the same bytes that the bridge sends.</summary>
    public ReadOnlyMemory<byte> NextGrpcMessage()
    {
        var step = _step++;
        var length = _frames.Observation(step).Length;
        var array = _arrays[step % (ulong)_arrays.Length];
        var header = new FrameHeader(MatchName, 0, step, (uint)step, 0, MonotonicClock.NowNs);
        var start = FrameEnvelope.WriteBefore(array, Headroom, length, header) - PrefixLength;
        array[start] = 0;
        BinaryPrimitives.WriteInt32BigEndian(array.AsSpan(start + 1), Headroom + length - start - PrefixLength);
        return array.AsMemory(start, Headroom + length - start);
    }

    /// <summary>The next one, stamped now, without the prefix.</summary>
    public ReadOnlyMemory<byte> NextEventMessage() => NextGrpcMessage()[PrefixLength..];
}
