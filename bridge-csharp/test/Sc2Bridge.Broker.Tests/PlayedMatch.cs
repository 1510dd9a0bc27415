using System.Collections.Concurrent;
using System.IO.Hashing;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Tests;

/// <summary>A received frame.</summary>
internal readonly record struct Heard(ulong Step, uint Crc)
{
    public static Heard Of(ObservationFrame frame) => new(frame.Header.Step, Crc32.HashToUInt32(frame.Observation.Span));
}

/// <summary>Plays a recording repeatedly, with 22.4 steps a second. Publishes it if a broker is given.</summary>
internal sealed class PlayedMatch(BrokerAddress? broker)
{
    private const double StepMs = 1000 / 22.4;

    public List<Heard> Local { get; } = [];

    public List<double> Late { get; } = [];

    public ConcurrentQueue<string> Told { get; } = [];

    public MatchPublisher? Publisher { get; private set; }

    public TimeSpan Held { get; private set; }

    public Task<string?> PlayAsync(CancellationToken stop)
    {
        var hub = new Hub(new HubOptions());
        Publisher = broker is null ? null : new MatchPublisher(
            hub, new PublishOptions(broker) { EndDeadline = TimeSpan.FromMinutes(1) },
            Path.Combine(Path.GetTempPath(), $"sc2bridge-cluster-{Guid.NewGuid():N}"), new SharedCompression(),
            new SidePath("publishing"), Told.Enqueue);
        return Task.Run(() => PlayAsync(hub, stop), CancellationToken.None);
    }

    private async Task<string?> PlayAsync(Hub hub, CancellationToken stop)
    {
        var rate = StepRate.Parse("22.4");
        await using var source = RecordedSource.Open(
            Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap"),
            new PlaybackOptions { Rate = rate, Repeats = true });
        using var local = hub.Subscribe(
            new SubscribeRequest { Policy = Policy.Every }, new SubscriberInfo("test", DeliverInline: true));
        var hearing = HearAsync(local);
        var runner = new MatchRunner(source, hub, rate, stepLimit: 0);
        await runner.StartAsync(CancellationToken.None);
        var end = await runner.RunAsync(stop);
        await hearing;
        Held = hub.Subscribers.Where(one => one.Internal).Select(one => one.HoldTime).DefaultIfEmpty().Max();
        var unpublished = Publisher is null ? null : await Publisher.EndAsync(end, CancellationToken.None);
        Publisher?.Dispose();
        hub.Dispose();
        return unpublished;
    }

    private async Task HearAsync(Subscription local)
    {
        for (var last = 0L; ;)
        {
            var delivery = await local.ReadAsync(CancellationToken.None);
            if (delivery.Frame is { } frame)
            {
                var now = MonotonicClock.NowNs;
                if (last > 0)
                {
                    Late.Add(Math.Abs(((now - last) / 1e6) - StepMs));
                }

                last = now;
                Local.Add(Heard.Of(frame));
            }

            delivery.Release();
            if (delivery.IsLast)
            {
                return;
            }
        }
    }
}
