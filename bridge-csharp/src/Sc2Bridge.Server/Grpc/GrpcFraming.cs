using System.Buffers;
using System.Buffers.Binary;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>
/// Messages on a gRPC stream (gRPC over HTTP/2, "Length-Prefixed-Message"): a byte that says whether the message is
/// compressed, its length in four bytes, big-endian, and the message.
/// </summary>
public static class GrpcFraming
{
    /// <summary>Bytes in front of a message.</summary>
    public const int PrefixLength = Streaming.ObservationFrame.GrpcPrefixLength;

    /// <summary>The longest message that the bridge reads from a client, in bytes, before and after decompression.</summary>
    public const int LongestMessage = 4 << 20;

    /// <summary>Takes the next whole message off the front of what has arrived.</summary>
    /// <param name="arrived">Moves past the message where there is one.</param>
    /// <param name="longest">The longest message to take, in bytes.</param>
    /// <param name="compressed">Whether the message is compressed with the stream's <c>grpc-encoding</c>.</param>
    /// <param name="message">The message; it stands in <paramref name="arrived"/>'s memory.</param>
    /// <returns>False where more must arrive first.</returns>
    /// <exception cref="GrpcException">
    /// RESOURCE_EXHAUSTED: the message is longer than that, known as soon as its prefix is there; INTERNAL: these are not
    /// gRPC messages.
    /// </exception>
    public static bool TryRead(
        ref ReadOnlySequence<byte> arrived, int longest, out bool compressed, out ReadOnlySequence<byte> message)
    {
        compressed = false;
        message = default;
        if (arrived.Length < PrefixLength)
        {
            return false;
        }

        Span<byte> prefix = stackalloc byte[PrefixLength];
        arrived.Slice(0, PrefixLength).CopyTo(prefix);
        if (prefix[0] > 1)
        {
            throw new GrpcException(
                GrpcCode.Internal, $"A message begins with byte {prefix[0]}; gRPC has 0 (plain) or 1 (compressed) there.");
        }

        var length = BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
        if (length > longest)
        {
            throw new GrpcException(
                GrpcCode.ResourceExhausted, $"A message of {length} bytes is longer than the {longest} that are read.");
        }

        if (arrived.Length - PrefixLength < length)
        {
            return false;
        }

        compressed = prefix[0] == 1;
        message = arrived.Slice(PrefixLength, length);
        arrived = arrived.Slice(message.End);
        return true;
    }

    /// <summary>A message with its prefix, uncompressed.</summary>
    /// <returns>A buffer that the caller releases.</returns>
    public static MessageBuffer Write(IMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        var buffer = MessageBuffer.Rent(PrefixLength + message.CalculateSize());
        buffer.GetSpan(PrefixLength)[..PrefixLength].Clear();
        buffer.Advance(PrefixLength);
        message.WriteTo(buffer);
        WritePrefix(buffer, compressed: false);
        return buffer;
    }

    /// <summary>Fills the prefix in, once the message after it is written.</summary>
    /// <param name="buffer">Begins with <see cref="PrefixLength"/> bytes for it.</param>
    /// <param name="compressed">Whether the message is compressed.</param>
    public static void WritePrefix(MessageBuffer buffer, bool compressed)
    {
        ArgumentNullException.ThrowIfNull(buffer);
        var prefix = buffer.Array.AsSpan(MessageBuffer.Headroom, PrefixLength);
        prefix[0] = compressed ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteUInt32BigEndian(prefix[1..], (uint)(buffer.Length - PrefixLength));
    }
}
