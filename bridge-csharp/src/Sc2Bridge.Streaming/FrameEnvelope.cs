using System.Buffers.Binary;
using System.Text;
using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Writes the envelope of a frame (<c>Event.frame</c> up to the observation's first byte) backwards, so that it ends
/// where the observation begins.
/// </summary>
public static class FrameEnvelope
{
    /// <summary>The longest match name that is sure to fit in <see cref="Protocol.MessageBuffer.Headroom"/>.</summary>
    public const int LongestMatchName = 300;

    /// <summary>Writes the envelope and the gRPC prefix.</summary>
    /// <param name="array">The buffer.</param>
    /// <param name="observationStart">Where the observation stands in it.</param>
    /// <param name="observationLength">The observation's length in bytes.</param>
    /// <param name="header">What the envelope says.</param>
    /// <param name="missed">A serialized <c>Missed</c>, or nothing.</param>
    /// <returns>Where the <c>Event</c> begins; the gRPC prefix is the five bytes before it.</returns>
    public static int WriteBefore(
        byte[] array, int observationStart, int observationLength, FrameHeader header,
        ReadOnlySpan<byte> missed = default)
    {
        ArgumentNullException.ThrowIfNull(array);
        var end = observationStart + observationLength;
        var writer = new BackwardWriter(array, observationStart);
        writer.Varint((uint)observationLength);
        writer.Tag(V1.Frame.ObservationFieldNumber, WireFormat.WireType.LengthDelimited);
        if (!missed.IsEmpty)
        {
            writer.Bytes(missed);
            writer.Varint((uint)missed.Length);
            writer.Tag(V1.Frame.MissedFieldNumber, WireFormat.WireType.LengthDelimited);
        }

        writer.Number(V1.Frame.ArrivedNsFieldNumber, (ulong)header.ArrivedNs);
        writer.Number(V1.Frame.AskedNsFieldNumber, (ulong)header.AskedNs);
        writer.Number(V1.Frame.GameLoopFieldNumber, header.GameLoop);
        writer.Number(V1.Frame.StepFieldNumber, header.Step);
        writer.Number(V1.Frame.PerspectiveFieldNumber, header.Perspective);
        writer.Text(V1.Frame.MatchFieldNumber, header.Match);
        writer.Varint((uint)(end - writer.Start));
        writer.Tag(Event.FrameFieldNumber, WireFormat.WireType.LengthDelimited);

        var eventStart = writer.Start;
        array[eventStart - Frame.GrpcPrefixLength] = 0;
        BinaryPrimitives.WriteUInt32BigEndian(
            array.AsSpan(eventStart - Frame.GrpcPrefixLength + 1), (uint)(end - eventStart));
        return eventStart;
    }

    private ref struct BackwardWriter(byte[] array, int start)
    {
        private readonly byte[] _array = array;

        public int Start { get; private set; } = start;

        public void Tag(int field, WireFormat.WireType type) => Varint(WireFormat.MakeTag(field, type));

        public void Varint(ulong value)
        {
            Start -= CodedOutputStream.ComputeUInt64Size(value);
            var at = Start;
            while (value >= 0x80)
            {
                _array[at++] = (byte)(value | 0x80);
                value >>= 7;
            }

            _array[at] = (byte)value;
        }

        // A proto3 field that is zero is not written.
        public void Number(int field, ulong value)
        {
            if (value != 0)
            {
                Varint(value);
                Tag(field, WireFormat.WireType.Varint);
            }
        }

        public void Text(int field, string value)
        {
            if (value.Length > 0)
            {
                var length = Encoding.UTF8.GetByteCount(value);
                Start -= length;
                Encoding.UTF8.GetBytes(value, _array.AsSpan(Start));
                Varint((uint)length);
                Tag(field, WireFormat.WireType.LengthDelimited);
            }
        }

        public void Bytes(ReadOnlySpan<byte> value)
        {
            Start -= value.Length;
            value.CopyTo(_array.AsSpan(Start));
        }
    }
}
