using System.Net.Sockets;
using FsCheck;
using FsCheck.Fluent;
using Sc2Bridge.Server;

namespace Sc2Bridge.Server.Tests;

public sealed class LinkStateTests
{
    [Fact]
    public void Bytes_that_left_are_not_waited_for_and_others_within_bounds() =>
        Prop.ForAll<long, long, long>((arrived, slack, sent) =>
        {
            var (gone, room) = (Math.Abs(arrived / 4), Math.Abs(slack / 4));
            var wait = new LinkState(gone, room, Math.Abs(arrived / 3)).WaitFor(sent / 4);
            Assert.Equal((sent / 4) - gone <= room, wait is null);
            if (wait is { } time)
            {
                Assert.InRange(time.TotalMilliseconds, 1, 50);
            }
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Any_bytes_of_the_kernel_give_a_state_with_room_for_two_segments() => Prop.ForAll(
        ArbMap.Default.GeneratorFor<byte>().ArrayOf(TcpInfo.Length).ToArbitrary(),
        bytes =>
        {
            var info = TcpInfo.Read(bytes);
            var state = LinkState.Of(info);
            var segments = 2L * info.MaximumSegment;
            Assert.Equal((info.Acknowledged, info.BytesPerSecond), (state.AcknowledgedBytes, state.BytesPerSecond));
            Assert.InRange(state.AllowedInFlight, segments, segments + int.MaxValue);
            Assert.True(info.LeastRoundTripUs > 0 || state.AllowedInFlight == segments);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Twice_as_much_waits_twice_as_long()
    {
        var state = new LinkState(AcknowledgedBytes: 1_000_000, AllowedInFlight: 10_000, BytesPerSecond: 1_250_000);
        Assert.Null(state.WaitFor(1_010_000));
        Assert.Equal(10, state.WaitFor(1_022_500)!.Value.TotalMilliseconds);
        Assert.Equal(20, state.WaitFor(1_035_000)!.Value.TotalMilliseconds);
    }

    [Fact]
    public void A_reader_that_has_stopped_is_looked_at_seldom()
    {
        var state = new LinkState(AcknowledgedBytes: 0, AllowedInFlight: 0, BytesPerSecond: 1_000_000_000);
        Assert.Equal(1, state.WaitFor(1000, idleChecks: 100)!.Value.TotalMilliseconds);
        Assert.Equal(50, state.WaitFor(1000, idleChecks: 1001)!.Value.TotalMilliseconds);
    }

    [Fact]
    public async Task The_kernel_s_own_numbers_stand_where_they_are_read()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has struct tcp_info.");
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        using var agent = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await agent.ConnectAsync(listener.LocalEndPoint!, Ct);
        using var bridge = await listener.AcceptAsync(Ct);
        bridge.Send(new byte[12_345]);
        for (var read = 0; read < 12_345;)
        {
            read += agent.Receive(new byte[12_345]);
        }

        var state = LinkState.Of(TcpInfo.Of(bridge)!.Value);
        Assert.Equal(12_345, state.AcknowledgedBytes);
        Assert.InRange(state.AllowedInFlight, 2 * 500, 100 << 20);
        Assert.True(state.BytesPerSecond > 0);
    }
}
