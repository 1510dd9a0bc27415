using Grpc.Core;
using SC2APIProtocol;
using GrpcCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>Calls that end while their client does not read, and calls that fail.</summary>
public sealed class UnreadStreamTests
{
    [Fact]
    public async Task A_dropped_reader_that_stays_connected_is_reset()
    {
        using var log = new KeptLog();
        await using var match = await ServedMatch.StartAsync(options => options with
        {
            LoggerFactory = log,
            UnreadTimeout = TimeSpan.FromMilliseconds(100),
        });
        using var client = match.Client();
        var request = new SubscribeRequest
        {
            Agent = "stuck",
            Policy = Policy.Every,
            Overflow = Overflow.End,
            QueueBytes = 1 << 20,
        };
        using var stuck = client.Subscribe(request, cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        // The first frame is larger than the client's window, so that its write cannot end. Without the wait, the frames after it
        // could end the subscription before anything is written.
        await match.PublishAsync(0, 160 << 10);
        await HoldsAsync(() => match.Hub.Subscribers is [{ Delivered: > 0 }]);
        for (var step = 1u; step < 20; step++)
        {
            await match.PublishAsync(step, 160 << 10);
        }

        await match.WaitUntilNobodySubscribesAsync();
        // A client that reads before the reset gets the reason.
        await HoldsAsync(() => log.Entries.Any(entry => entry.Id.Id == 2003));
        var ended = await stuck.ResponseStream.EndsWithAsync(GrpcCode.Cancelled);
        Assert.NotNull(ended);

        // The connection still works.
        await client.DescribeAsync(new DescribeRequest(), cancellationToken: Ct);
    }

    [Fact]
    public async Task Unread_frames_of_a_subscription_that_goes_on_reset_nothing()
    {
        await using var match = await ServedMatch.StartAsync(
            options => options with { UnreadTimeout = TimeSpan.FromMilliseconds(1) });
        using var client = match.Client();
        using var slow = client.Subscribe(
            new SubscribeRequest { Policy = Policy.Latest }, cancellationToken: Ct);
        await match.Hub.WaitForSubscribersAsync(1, Ct);
        for (var step = 0u; step < 200; step++)
        {
            await match.PublishAsync(step, 160 << 10);
        }

        ulong last = 0;
        while (last < 199)
        {
            last = (await slow.ResponseStream.NextAsync())!.Frame.Step;
        }
    }

    [Fact]
    public async Task A_defect_is_one_line_to_the_client_and_a_stack_in_the_log()
    {
        using var log = new KeptLog();
        await using var match = await ServedMatch.StartAsync(options => options with { LoggerFactory = log });
        using var client = match.Client();
        var request = new CallGameRequest { Request = new Request { Data = new RequestData() } };
        var failed = await client.CallGameAsync(request, cancellationToken: Ct).RefusedAsync(GrpcCode.Internal);
        Assert.Equal($"The bridge failed: {ServedMatch.Defect}", failed.Status.Detail);
        var entry = Assert.Single(log.Entries, entry => entry.Id.Id == 2000);
        Assert.Contains("The gRPC call /sc2bridge.v1.BridgeService/CallGame failed", entry.Text, StringComparison.Ordinal);
        Assert.Contains(
            $"at {typeof(ServedMatch).FullName}.{nameof(ServedMatch.RequestAsync)}", $"{entry.Exception}", StringComparison.Ordinal);
    }
}
