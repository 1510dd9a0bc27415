using System.Buffers;
using System.IO.Compression;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Server;

/// <summary>gzip (RFC 1952) for single messages, the one compression that every gRPC client reads.</summary>
public static class GrpcGzip
{
    /// <summary>The name in <c>grpc-encoding</c> and <c>grpc-accept-encoding</c>.</summary>
    public const string Name = "gzip";

    private const int ReadSize = 64 << 10;

    /// <summary>A compressed message with its gRPC prefix.</summary>
    /// <returns>A buffer that the caller releases.</returns>
    public static MessageBuffer Compress(ReadOnlySpan<byte> message)
    {
        // The fastest level: on observations the better ones cost several times as much for a tenth fewer bytes.
        var buffer = MessageBuffer.Rent(GrpcFraming.PrefixLength + message.Length / 3);
        buffer.GetSpan(GrpcFraming.PrefixLength)[..GrpcFraming.PrefixLength].Clear();
        buffer.Advance(GrpcFraming.PrefixLength);
        using (var gzip = new GZipStream(new BufferStream(buffer), CompressionLevel.Fastest))
        {
            gzip.Write(message);
        }

        GrpcFraming.WritePrefix(buffer, compressed: true);
        return buffer;
    }

    /// <summary>Decompresses a message.</summary>
    /// <param name="compressed">The message, without its prefix.</param>
    /// <param name="longest">The most bytes to make.</param>
    /// <returns>A buffer that the caller releases.</returns>
    /// <exception cref="GrpcException">
    /// RESOURCE_EXHAUSTED: it is longer than that; INTERNAL: it is not gzip, or cut off.
    /// </exception>
    public static MessageBuffer Decompress(ReadOnlySequence<byte> compressed, int longest)
    {
        var buffer = MessageBuffer.Rent((int)Math.Min(compressed.Length * 3, longest));
        try
        {
            using var gzip = new GZipStream(new MemoryStream(compressed.ToArray()), CompressionMode.Decompress);
            while (true)
            {
                var read = gzip.Read(buffer.GetSpan(ReadSize)[..ReadSize]);
                if (read == 0)
                {
                    break;
                }

                buffer.Advance(read);
                if (buffer.Length > longest)
                {
                    throw new GrpcException(
                        GrpcCode.ResourceExhausted,
                        $"A compressed message is longer than the {longest} bytes that are read.");
                }
            }

            // .NET takes a stream that stops before its trailer for one that ended, and no bytes at all for an empty one.
            if (!IsWhole(compressed, (uint)buffer.Length))
            {
                throw new GrpcException(GrpcCode.Internal, "A compressed message is cut off.");
            }

            return buffer;
        }
        catch (Exception problem)
        {
            buffer.Release();
            if (problem is InvalidDataException or EndOfStreamException)
            {
                throw new GrpcException(GrpcCode.Internal, "A message that is marked as compressed is not valid gzip.");
            }

            throw;
        }
    }

    // The last four bytes of a gzip member are the length of what it holds (RFC 1952, section 2.3.1). gRPC's clients
    // write one member a message.
    private static bool IsWhole(ReadOnlySequence<byte> compressed, uint length)
    {
        if (compressed.Length < 18)
        {
            return false;
        }

        Span<byte> trailer = stackalloc byte[4];
        compressed.Slice(compressed.Length - 4).CopyTo(trailer);
        return System.Buffers.Binary.BinaryPrimitives.ReadUInt32LittleEndian(trailer) == length;
    }

    private sealed class BufferStream(MessageBuffer buffer) : Stream
    {
        public override bool CanRead => false;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] bytes, int offset, int count) => Write(bytes.AsSpan(offset, count));

        public override void Write(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(buffer.GetSpan(bytes.Length));
            buffer.Advance(bytes.Length);
        }
    }
}
