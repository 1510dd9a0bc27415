using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Streaming;
using StreamReader = Sc2Bridge.Broker.Reading.StreamReader;

namespace Sc2Bridge.Broker.Tests;

/// <summary>What matches cost a broker and their publishers; docs/guide/broker.md has the figures.</summary>
[Trait("Suite", "Long")]
public sealed class ScaleTests(TestBroker broker, ITestOutputHelper output) : IClassFixture<TestBroker>
{
    private static readonly TimeSpan _time = TimeSpan.FromSeconds(20);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(20, 1)]
    [InlineData(20, 5)]
    [InlineData(100, 1)]
    public async Task Matches_at_22_4_steps_a_second_and_their_readers(int count, int readers)
    {
        broker.Require();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var matches = Enumerable.Range(0, count).Select(_ => new PlayedMatch(broker.Address)).ToList();
        var playing = matches.ConvertAll(match => match.PlayAsync(stop.Token));
        while (matches.Exists(match => match.Publisher!.Figures.Confirmed == 0))
        {
            await Task.Delay(100, Ct);
        }

        var reading = matches.SelectMany(match => Enumerable.Range(0, readers).Select(_ => ReadAsync(match.Publisher!.Key))).ToList();
        await Task.Delay(TimeSpan.FromSeconds(5), Ct);
        var (node, own, confirmed) = (broker.ProcessorTime(), Process.GetCurrentProcess().TotalProcessorTime, Confirmed());
        var began = Stopwatch.GetTimestamp();
        await Task.Delay(_time, Ct);
        var seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        var frames = Confirmed() - confirmed;
        (node, own) = (broker.ProcessorTime() - node, Process.GetCurrentProcess().TotalProcessorTime - own);
        await stop.CancelAsync();
        Assert.All(await Task.WhenAll(playing), Assert.Null);
        var delays = (await Task.WhenAll(reading)).SelectMany(one => one).Order().ToList();
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{count} matches, {readers} readers of each: {frames / seconds / count:0.0} frames/s a match, broker {node.TotalMilliseconds / frames:0.000} ms CPU a frame, "
            + $"this process {own.TotalMilliseconds / frames:0.000}, delay p50 {delays[delays.Count / 2]:0.0} ms, p99 {delays[delays.Count * 99 / 100]:0.0} ms, "
            + $"{matches.Sum(match => match.Publisher!.Figures.Bytes) / (double)matches.Sum(match => match.Local.Count):0} bytes a frame"));
        Assert.All(matches, match => Assert.Equal(TimeSpan.Zero, match.Held));

        long Confirmed() => matches.Sum(match => match.Publisher!.Figures.Confirmed);
    }

    // In ms, from the bridge's holding the frame.
    private async Task<List<double>> ReadAsync(string key)
    {
        await using var reader = new StreamReader(broker.Address, BrokerStreams.Frames(key, 0), "next");
        var delays = new List<double>();
        while (true)
        {
            var (message, _) = await reader.ReadAsync(Ct);
            if (message.Kind == MessageKind.End)
            {
                return delays;
            }

            if (message.Kind == MessageKind.Frame)
            {
                delays.Add((MonotonicClock.NowNs - V1.Event.Parser.ParseFrom(message.Body.Span).Frame.ObservedNs) / 1e6);
            }
        }
    }
}
