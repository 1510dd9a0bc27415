using System.Diagnostics.Metrics;

namespace Sc2Bridge.Server.Tests;

/// <summary>A refusal is counted only for its own request. The meter is shared by the process, so no other test runs at the same time.</summary>
[Collection(nameof(MeasuredAlone))]
public sealed class FoxgloveRefusalTests
{
    [Fact]
    public async Task Who_only_watches_a_playback_is_refused_nothing()
    {
        var counted = 0L;
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
        listener.SetMeasurementEventCallback<long>((_, count, _, _) => Interlocked.Add(ref counted, count));
        listener.Start();

        var token = TokenStore.NewToken();
        using var hub = new Hub(new HubOptions());
        await using var server = await BridgeServer.StartAsync(
            hub,
            new BridgeServerOptions
            {
                GrpcAddress = null,
                WebAddress = "127.0.0.1:0",
                Tokens = TokenStore.Empty.With(token, new Identity("watcher", Roles.Watch)),
            },
            Ct);
        var played = new Played();
        hub.Announce(new V1.MatchDescription { MatchId = "m", Recording = "m.mcap", Perspectives = { 0u } }, played, played);
        using var client = await FoxgloveSocketClient.ConnectAsync(server.WebAddress, "foxglove.sdk.v1", $"/?token={token}");
        await client.TopicsAsync();
        await client.SubscribeAsync((1, "/terrain"));
        await client.HandledAsync();
        Assert.Equal(0, counted);
    }
}
