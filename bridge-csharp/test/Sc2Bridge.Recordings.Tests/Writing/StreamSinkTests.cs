using Sc2Bridge.Recordings.Writing;

namespace Sc2Bridge.Recordings.Tests.Writing;

public sealed class StreamSinkTests
{
    // Limits the wait for an event, so that a test that hangs fails.
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(2);

    [Fact]
    public void Stretches_are_written_whole_in_their_order_and_the_file_is_closed()
    {
        using var disk = new GatedDisk();
        disk.Open();
        var sink = new StreamSink(disk);
        for (var length = 1; length <= 50; length++)
        {
            sink.Append(Enumerable.Repeat((byte)length, length).ToArray());
        }

        Assert.True(sink.Close(Long));
        Assert.True(disk.IsClosed);
        Assert.Equal(Enumerable.Range(1, 50), disk.Writes);
        Assert.Equal(
            Enumerable.Range(1, 50).SelectMany(length => Enumerable.Repeat((byte)length, length)), disk.ToArray());
        Assert.Equal((disk.ToArray().Length, null), (sink.WrittenBytes, sink.Problem));
    }

    [Fact]
    public void There_is_no_room_while_the_disk_takes_nothing_and_again_when_it_does()
    {
        using var disk = new GatedDisk();
        var sink = new StreamSink(disk);
        sink.Append(new byte[99]);
        Assert.True(sink.WaitForRoom(100, TimeSpan.Zero));
        sink.Append(new byte[1]);
        Assert.False(sink.WaitForRoom(100, TimeSpan.Zero));
        Assert.False(sink.WaitForRoom(100, TimeSpan.FromMilliseconds(1)));
        disk.Open();
        Assert.True(sink.WaitForRoom(100, Long));
        Assert.True(sink.Close(Long));
        Assert.Equal(100, sink.WrittenBytes);
    }

    [Fact]
    public void A_disk_that_takes_nothing_is_given_up_at_the_end()
    {
        using var disk = new GatedDisk();
        var sink = new StreamSink(disk);
        sink.Append(new byte[10]);
        Assert.False(sink.Close(TimeSpan.FromMilliseconds(1)));
        disk.Open();
        Assert.True(sink.Close(Long));
    }

    [Fact]
    public void A_full_disk_is_a_problem_and_nobody_waits_for_it()
    {
        using var disk = new FullDisk(room: 25);
        var sink = new StreamSink(disk);
        for (var stretch = 0; stretch < 100; stretch++)
        {
            sink.Append(new byte[10]);
            Assert.True(sink.WaitForRoom(1, Long));
        }

        Assert.True(sink.Close(Long));
        Assert.Equal(("No space left on device", 20L), (sink.Problem, sink.WrittenBytes));
    }
}
