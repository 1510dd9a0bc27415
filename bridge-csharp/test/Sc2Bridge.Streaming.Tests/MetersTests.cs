using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming.Tests;

public sealed class MetersTests
{
    [Fact]
    public async Task Each_meter_counts_what_its_name_says()
    {
        using var meters = new Collected();
        using var match = Collected.Of(() => new TestMatch());
        using var every = match.Hub.Subscribe(new() { Agent = "every" }, new SubscriberInfo("metered", false));
        using var latest = match.Hub.Subscribe(
            new() { Agent = "latest", Policy = Policy.Latest }, new SubscriberInfo("metered", false));
        var left = match.Hub.Subscribe(new() { Agent = "left" }, new SubscriberInfo("metered", false));
        await match.PublishAsync(0);
        left.ReadFrame();
        left.Dispose();
        await match.PublishAsync(1);
        await match.PublishAsync(2);
        every.ReadFrame();
        match.Frames[2].Encoded(new Json());
        meters.Collect();

        Assert.Equal(3, meters.Sum("sc2bridge.steps"));
        var bytes = Enumerable.Range(0, 3).Sum(step => new ResponseObservation { Observation = new() { GameLoop = (uint)step } }.CalculateSize());
        Assert.Equal(bytes, meters.Sum("sc2bridge.observation.bytes"));
        Assert.Equal([1e-6, 1e-6, 1e-6], meters.Values("sc2bridge.game.answer.duration"));
        Assert.Equal(2, meters.Sum("sc2bridge.deliveries", "metered", "every"));
        Assert.Equal(0, meters.Sum("sc2bridge.drops", "metered", "every"));
        Assert.Equal(2, meters.Sum("sc2bridge.drops", "metered", "latest"));
        Assert.Equal(2, meters.Sum("sc2bridge.queue.length", "metered", "every"));
        Assert.Equal(1, meters.Sum("sc2bridge.queue.length", "metered", "latest"));
        Assert.Equal(2 * 8192, meters.Sum("sc2bridge.queue.bytes", "metered", "every")); // A short frame counts as 8 KiB.
        Assert.NotEmpty(meters.Values("sc2bridge.encoding.duration", "json"));
    }

    [Fact]
    public void Collecting_allocates_nothing_for_a_frame()
    {
        const int rounds = 1000;
        var seen = 0L;
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Sc2Bridge")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, _, _, _) => Interlocked.Increment(ref seen));
        listener.SetMeasurementEventCallback<double>((_, _, _, _) => Interlocked.Increment(ref seen));
        listener.Start();
        using var match = new TestMatch();
        var frame = match.MakeFrame(0);
        Publish();
        var before = GC.GetAllocatedBytesForCurrentThread();
        Publish();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, rounds);
        Assert.True(Interlocked.Read(ref seen) >= 2 * rounds * 4);

        void Publish()
        {
            for (var round = 0; round < rounds; round++)
            {
                frame.Retain();
                var published = match.Hub.Publisher.PublishAsync(frame, default);
                Assert.True(published.IsCompletedSuccessfully);
                frame.RecordEncoding(EncodingKind.Json, 1, 0);
            }
        }
    }

    // Collects the instruments of one match. Other tests have hubs at the same time. All hubs share the instruments of encodings.
    private sealed class Collected : IDisposable
    {
        [ThreadStatic]
        private static bool _isMaking;

        private readonly ConcurrentQueue<(string Name, double Value, string[] Tags)> _all = new();
        private readonly MeterListener _listener = new();

        public Collected()
        {
            _listener.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Sc2Bridge"
                    && (_isMaking || instrument.Name.StartsWith("sc2bridge.encoding", StringComparison.Ordinal)))
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Add(instrument, value, tags));
            _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Add(instrument, value, tags));
            _listener.Start();
        }

        public static T Of<T>(Func<T> make)
        {
            _isMaking = true;
            try
            {
                return make();
            }
            finally
            {
                _isMaking = false;
            }
        }

        public void Collect() => _listener.RecordObservableInstruments();

        public IEnumerable<double> Values(string name, params string[] tags) =>
            _all.Where(one => one.Name == name && one.Tags.SequenceEqual(tags)).Select(one => one.Value);

        public double Sum(string name, params string[] tags) => Values(name, tags).Sum();

        public void Dispose() => _listener.Dispose();

        private void Add(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            var values = new string[tags.Length];
            for (var index = 0; index < tags.Length; index++)
            {
                values[index] = (string)tags[index].Value!;
            }

            _all.Enqueue((instrument.Name, value, values));
        }
    }

    private sealed record Json : IFrameEncoding<MessageBuffer>
    {
        public EncodingKind Kind => EncodingKind.Json;

        public MessageBuffer Encode(ObservationFrame frame)
        {
            var buffer = MessageBuffer.Rent();
            buffer.Advance(1);
            return buffer;
        }
    }
}
