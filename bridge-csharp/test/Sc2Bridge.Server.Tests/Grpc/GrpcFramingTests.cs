using System.Buffers;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Sc2Bridge.Server;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server.Tests;

public sealed class GrpcFramingTests
{
    [Fact]
    public void Reads_what_it_writes_at_every_cut()
    {
        var message = new Event { MatchEnd = new MatchEnd { MatchId = "m", Reason = "finished", Step = 7 } };
        var buffer = GrpcFraming.Write(message);
        var bytes = buffer.Written.ToArray();
        buffer.Release();
        for (var cut = 0; cut < bytes.Length; cut++)
        {
            var part = new ReadOnlySequence<byte>(bytes, 0, cut);
            Assert.False(GrpcFraming.TryRead(ref part, 1000, out _, out _));
            Assert.Equal(cut, part.Length);
        }

        var whole = new ReadOnlySequence<byte>([.. bytes, .. bytes]);
        Assert.True(GrpcFraming.TryRead(ref whole, 1000, out var compressed, out var read));
        Assert.False(compressed);
        Assert.Equal(message, Event.Parser.ParseFrom(read));
        Assert.Equal(bytes.Length, whole.Length);
    }

    [Fact]
    public void A_length_beyond_the_bound_is_refused_before_the_bytes_are_there()
    {
        var arrived = new ReadOnlySequence<byte>([0, 0xFF, 0xFF, 0xFF, 0xFF]);
        var refused = Assert.Throws<GrpcException>(() => GrpcFraming.TryRead(ref arrived, 1000, out _, out _));
        Assert.Equal(GrpcCode.ResourceExhausted, refused.Code);
    }

    [Fact]
    public void Garbage_raises_only_what_it_says() => Prop.ForAll<byte[]?>(drawn =>
    {
        var arrived = new ReadOnlySequence<byte>(drawn ?? []);
        var before = arrived.Length;
        try
        {
            return GrpcFraming.TryRead(ref arrived, 64, out _, out var message)
                ? before == arrived.Length + GrpcFraming.PrefixLength + message.Length
                : before == arrived.Length;
        }
        catch (GrpcException refused)
        {
            return refused.Code is GrpcCode.Internal or GrpcCode.ResourceExhausted;
        }
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void Gzip_comes_back() => Prop.ForAll<byte[]?>(drawn =>
    {
        var bytes = drawn ?? [];
        var compressed = GrpcGzip.Compress(bytes);
        var arrived = new ReadOnlySequence<byte>(compressed.Written);
        Assert.True(GrpcFraming.TryRead(ref arrived, 1 << 20, out var marked, out var message));
        Assert.True(marked);
        if (bytes.Length == 0)
        {
            // .NET writes no bytes at all for no bytes.
            compressed.Release();
            return true;
        }

        var plain = GrpcGzip.Decompress(message, 1 << 20);
        var equal = plain.Written.Span.SequenceEqual(bytes);
        plain.Release();
        compressed.Release();
        return equal;
    }).QuickCheckThrowOnFailure();

    [Fact]
    public void Gzip_that_is_damaged_raises_only_what_it_says()
    {
        var random = new Random(1);
        var plain = new byte[4000];
        random.NextBytes(plain.AsSpan(0, 1000));
        var buffer = GrpcGzip.Compress(plain);
        var good = buffer.Written[GrpcFraming.PrefixLength..].ToArray();
        buffer.Release();
        for (var round = 0; round < 2000; round++)
        {
            var bad = good[..random.Next(good.Length)];
            if (round % 2 == 0)
            {
                bad = [.. good];
                bad[random.Next(bad.Length)] ^= (byte)random.Next(1, 256);
            }

            try
            {
                GrpcGzip.Decompress(new ReadOnlySequence<byte>(bad), 8000).Release();
                Assert.True(round % 2 == 0, "A cut message passed for a whole one.");
            }
            catch (GrpcException refused)
            {
                Assert.True(refused.Code is GrpcCode.Internal or GrpcCode.ResourceExhausted);
            }
        }
    }

    [Fact]
    public void A_small_message_that_unpacks_to_a_large_one_is_refused()
    {
        var buffer = GrpcGzip.Compress(new byte[10 << 20]);
        var bomb = new ReadOnlySequence<byte>(buffer.Written[GrpcFraming.PrefixLength..].ToArray());
        buffer.Release();
        var refused = Assert.Throws<GrpcException>(() => GrpcGzip.Decompress(bomb, GrpcFraming.LongestMessage));
        Assert.Equal(GrpcCode.ResourceExhausted, refused.Code);
    }
}
