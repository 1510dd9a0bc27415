using System.Collections.Concurrent;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Sc2Bridge.Server.Tests;

/// <summary>What monitoring programs see of the bridge.</summary>
public sealed class TelemetryTests
{
    private static readonly HttpClient _http = new();

    [Fact]
    public async Task Prometheus_gets_the_meters_with_histograms_from_microseconds_to_seconds()
    {
        await using var match = await ServedMatch.StartAsync(options => options with { WebAddress = "127.0.0.1:0" });
        await match.PublishAsync(1);
        var text = await _http.GetStringAsync($"http://{match.Server.WebAddress}/metrics", Ct);
        Assert.Contains("\nsc2bridge_steps_total{", text, StringComparison.Ordinal);
        Assert.Contains("\ndotnet_gc_collections_total{", text, StringComparison.Ordinal);
        foreach (var bound in (string[])["1E-05", "0.001", "10", "+Inf"])
        {
            Assert.Matches($@"sc2bridge_game_answer_duration_seconds_bucket{{[^}}]*le=""{bound.Replace("+", @"\+")}""}}", text);
        }
    }

    [Fact]
    public async Task Health_over_HTTP_and_over_gRPC_say_the_same()
    {
        var hub = new Hub(new HubOptions());
        using var health = new HealthOfBridge(hub);
        await using var server = await BridgeServer.StartAsync(
            hub, new BridgeServerOptions { GrpcAddress = "127.0.0.1:0", WebAddress = "127.0.0.1:0", Health = health }, Ct);
        Assert.Equal((HttpStatusCode.OK, """{"status":"serving","reasons":[]}"""), await AskAsync());
        hub.Announce(new MatchDescription { MatchId = "a" }, new NoGame());
        hub.End(new MatchEnd { MatchId = "a" });
        Assert.Equal(
            (HttpStatusCode.ServiceUnavailable, """{"status":"not serving","reasons":["the last match is over"]}"""),
            await AskAsync());
        hub.Dispose();

        async Task<(HttpStatusCode, string)> AskAsync()
        {
            using var answer = await _http.GetAsync(new Uri($"http://{server.WebAddress}/health"), Ct);
            using var call = new HttpRequestMessage(HttpMethod.Post, $"http://{server.GrpcAddress}/grpc.health.v1.Health/Check")
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = new ByteArrayContent(new byte[5]),
            };
            call.Content.Headers.ContentType = new("application/grpc");
            using var checkedBy = await _http.SendAsync(call, Ct);
            var message = await checkedBy.Content.ReadAsByteArrayAsync(Ct);

            // HealthCheckResponse.status: 1 is SERVING, 2 NOT_SERVING.
            Assert.Equal(answer.IsSuccessStatusCode ? 1 : 2, message[^1]);
            return (answer.StatusCode, await answer.Content.ReadAsStringAsync(Ct));
        }
    }

    [Fact]
    public async Task A_collector_gets_the_meters_and_the_traces_of_the_steps_that_were_asked_for()
    {
        var got = new ConcurrentDictionary<string, string>();
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        await using var collector = builder.Build();
        collector.Run(async http =>
        {
            using var body = new MemoryStream();
            await http.Request.Body.CopyToAsync(body, Ct);
            got.AddOrUpdate(
                http.Request.Path, _ => Encoding.Latin1.GetString(body.ToArray()),
                (_, before) => before + Encoding.Latin1.GetString(body.ToArray()));
        });
        await collector.StartAsync(Ct);
        using (var hub = new Hub(new HubOptions { TraceEvery = 2 }))
        {
            var server = await BridgeServer.StartAsync(
                hub,
                new BridgeServerOptions
                {
                    GrpcAddress = "127.0.0.1:0",
                    WebAddress = null,
                    OtlpEndpoint = new Uri(collector.Urls.First()),
                },
                Ct);
            hub.Announce(new MatchDescription { MatchId = "traced", Perspectives = { 0 } }, new NoGame());
            using var agent = hub.Subscribe(
                new() { Agent = "the-agent", ReportsTimes = true }, new SubscriberInfo("grpc", DeliverInline: true));
            for (var step = 0ul; step < 3; step++)
            {
                var now = MonotonicClock.NowNs;
                await hub.Publisher.PublishAsync(
                    Streaming.ObservationFrame.Copy(
                        ServedMatch.Observation(1, 1).ToByteArray(), new FrameHeader("traced", 0, step, 0, now - 1000, now)), Ct);
                (await agent.ReadAsync(Ct)).Release();
                var times = new StepTimes { Step = step, ReceivedNs = MonotonicClock.NowNs, Clock = ClockSource.Shared };
                agent.Acknowledge(new Acknowledgement { Times = { times } });
            }

            await hub.Events.FlushAsync();
            await server.DisposeAsync();
        }

        Assert.Contains("sc2bridge.steps", got["/v1/metrics"], StringComparison.Ordinal);
        var traces = got["/v1/traces"];
        foreach (var (name, count) in ((string, int)[])[("game answer", 2), ("publish", 2), ("delivery", 2), ("the-agent", 2)])
        {
            Assert.Equal(count, traces.Split(name).Length - 1);
        }
    }

    private sealed class NoGame : IGameRequests
    {
        public Task<SC2APIProtocol.Response> RequestAsync(
            uint perspective, SC2APIProtocol.Request request, CancellationToken ct) => throw new NotSupportedException();
    }
}
