using System.Buffers;
using System.Net;
using System.Net.Sockets;
using FsCheck;
using FsCheck.Fluent;
using Google.Protobuf;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench.Tests;

/// <summary>Reading a message's head, and counting a connection's bytes.</summary>
public sealed class WireTests
{
    [Fact]
    public void A_light_subscriber_finds_step_and_stamp_of_any_frame_in_both_forms() => Prop.ForAll(
        Gen.Choose(0, int.MaxValue).Two().ToArbitrary(),
        numbers =>
        {
            var frame = new Frame
            {
                MatchId = "a match",
                Step = (ulong)numbers.Item1,
                GameLoop = 7,
                RequestedNs = 5,
                ObservedNs = (long)numbers.Item2 << 20,
                Content = Content.Observation,
                Observation = new SC2APIProtocol.ResponseObservation(),
            };
            var received = new PlayResponse { Frame = frame };
            var text = JsonFormatter.Default.Format(received).Replace(" ", "", StringComparison.Ordinal);
            return Read(received.ToByteArray(), isText: false) == (frame.Step, frame.ObservedNs)
                && (frame.ObservedNs == 0
                    || Read(System.Text.Encoding.UTF8.GetBytes(text), isText: true) == (frame.Step, frame.ObservedNs));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Any_bytes_are_a_frame_or_none() => Prop.ForAll<byte[]>(bytes =>
    {
        Read(bytes, isText: false);
        Read([0x0A, 0xFF, .. bytes], isText: false);
        Read(bytes, isText: true);
    }).QuickCheckThrowOnFailure();

    private static (ulong Step, long ObservedNs)? Read(byte[] bytes, bool isText) =>
        FrameHead.Read(new ReadOnlySequence<byte>(bytes), isText);

    [Fact]
    public async Task Sent_bytes_are_counted_by_the_local_port()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs Linux: TCP_INFO");
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, port, Ct);
        using var server = await listener.AcceptTcpClientAsync(Ct);
        var before = WireMeter.SentBytes([port])!.Value;
        await server.GetStream().WriteAsync(new byte[12_345], Ct);
        await client.GetStream().ReadExactlyAsync(new byte[12_345], Ct);

        // The acknowledgement may still be on its way.
        await HoldsAsync(() => WireMeter.SentBytes([port]) - before == 12_345);
        Assert.Null(WireMeter.SentBytes([]));
    }
}
