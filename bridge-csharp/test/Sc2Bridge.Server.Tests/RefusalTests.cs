using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Grpc.Core;
using Sc2Bridge.Admission;
using StatusCode = Grpc.Core.StatusCode;

namespace Sc2Bridge.Server.Tests;

/// <summary>How refusals are counted. The meter is shared by the process, so no other test runs at the same time.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class RefusalTests
{
    private const string Watcher = "watch-token-0123456789";

    [Fact]
    public async Task Each_refusal_is_counted_once_by_its_reason()
    {
        var counted = new ConcurrentDictionary<string, long>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Name == "sc2bridge.refusals")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) =>
            counted.AddOrUpdate($"{tags[0].Value}", count, (_, before) => before + count));
        listener.Start();

        await using var match = await ServedMatch.StartAsync(options => options with
        {
            WebAddress = "127.0.0.1:0",
            Tokens = TokenStore.Empty.With(Watcher, new Identity("watcher", Roles.Watch)),
        });
        using var client = match.Client();
        await client.DescribeAsync(new(), Shown("unknown"), cancellationToken: Ct).RefusedAsync(StatusCode.Unauthenticated);
        await client.ControlAsync(new(), Shown(Watcher), cancellationToken: Ct).RefusedAsync(StatusCode.PermissionDenied);
        using (var agent = await ConnectAsync(("Authorization", $"Bearer {Watcher}")))
        {
            await agent.SendAsync(new PlayRequest { Subscribe = new SubscribeRequest { Policy = Policy.Lockstep } });
            await agent.FailsAsync((uint)StatusCode.PermissionDenied);
        }

        foreach (var wrong in ((string, string)[])
            [
                ("Authorization", "Bearer unknown"), ("Origin", "http://page.example"), ("Host", "rebound.example"),
            ])
        {
            await Assert.ThrowsAsync<WebSocketException>(() => ConnectAsync(wrong));
        }

        Assert.Equal(
            new Dictionary<string, long> { ["host"] = 1, ["origin"] = 1, ["role"] = 2, ["token"] = 2 },
            counted.OrderBy(one => one.Key, StringComparer.Ordinal).ToDictionary());

        Task<AgentSocket> ConnectAsync((string Name, string Value) header) => AgentSocket.ConnectAsync(
            $"ws://{match.Server.WebAddress}/v1", "sc2bridge.json.v1", options => options.SetRequestHeader(header.Name, header.Value));
    }

    private static Metadata Shown(string token) => new() { { "authorization", $"Bearer {token}" } };
}
