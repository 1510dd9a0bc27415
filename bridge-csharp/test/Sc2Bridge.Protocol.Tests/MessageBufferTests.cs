namespace Sc2Bridge.Protocol.Tests;

public class MessageBufferTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(5000)]
    [InlineData(1_000_000)]
    public void A_message_of_any_size_stands_after_the_headroom(int length)
    {
        var message = new byte[length];
        new Random(length).NextBytes(message);
        var buffer = MessageBuffer.Rent();
        // In pieces of different sizes, so that it grows at any place.
        for (var at = 0; at < length;)
        {
            var span = buffer.GetSpan(1);
            var count = Math.Min(Math.Min(span.Length, 777), length - at);
            message.AsSpan(at, count).CopyTo(span);
            buffer.Advance(count);
            at += count;
        }

        Assert.Equal(length, buffer.Length);
        Assert.True(buffer.Written.Span.SequenceEqual(message));
        Assert.True(buffer.Array.AsSpan(MessageBuffer.Headroom, length).SequenceEqual(message));
        buffer.Release();
    }

    [Fact]
    public void It_has_the_room_that_was_asked_for()
    {
        var buffer = MessageBuffer.Rent(100_000);
        Assert.True(buffer.GetSpan().Length >= 100_000);
        Assert.True(buffer.GetMemory(300_000).Length >= 300_000);
        Assert.Throws<ArgumentOutOfRangeException>(() => buffer.GetSpan(-1));
        buffer.Release();
    }

    [Fact]
    public void More_than_was_given_cannot_be_written()
    {
        var buffer = MessageBuffer.Rent();
        var room = buffer.GetMemory().Length;
        Assert.Throws<ArgumentOutOfRangeException>(() => buffer.Advance(room + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => buffer.Advance(-1));
        buffer.Advance(room);
        Assert.Equal(room, buffer.Length);
        buffer.Release();
    }

    [Fact]
    public void It_lives_until_the_last_hold_ends()
    {
        var buffer = MessageBuffer.Rent();
        buffer.Retain();
        buffer.Release();
        Assert.Equal(0, buffer.Written.Length);
        buffer.Release();
        Assert.Throws<ObjectDisposedException>(() => buffer.Written);
        Assert.Throws<ObjectDisposedException>(() => buffer.Array);
        Assert.Throws<ObjectDisposedException>(buffer.Retain);
    }

    [Fact]
    public void Letting_go_once_too_often_is_an_error()
    {
        var buffer = MessageBuffer.Rent();
        buffer.Release();
        Assert.Throws<ObjectDisposedException>(buffer.Release);
        Assert.Throws<ObjectDisposedException>(buffer.Retain);
    }

    [Fact]
    public void Holds_are_counted_right_by_many_threads()
    {
        var buffer = MessageBuffer.Rent();
        Parallel.For(0, 8, _ =>
        {
            for (var i = 0; i < 10_000; i++)
            {
                buffer.Retain();
                buffer.Release();
            }
        });
        Assert.Equal(0, buffer.Length);
        Assert.NotEmpty(buffer.Array);
        buffer.Release();
        Assert.Throws<ObjectDisposedException>(() => buffer.Array);
    }

#if DEBUG
    [Fact]
    public void In_debug_what_was_given_back_is_poisoned()
    {
        var buffer = MessageBuffer.Rent();
        var bytes = buffer.Array;
        buffer.Release();
        Assert.All(bytes, value => Assert.Equal(0xDB, value));
    }
#endif
}
