using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Tests;

/// <summary>Three brokers. Each fails once, in a different way.</summary>
[Trait("Suite", "Long")]
public sealed class ClusterTests(ITestOutputHelper output)
{
    private const int Matches = 20;
    private const int ReadersOfEach = 3;

    [Fact]
    public async Task Of_20_matches_60_readers_hear_every_frame_once_in_order_whatever_broker_fails()
    {
        Assert.SkipUnless(
            File.Exists("/usr/lib/rabbitmq/bin/rabbitmq-server"), "needs Debian's package rabbitmq-server: tools/set-up --test installs it");
        Assert.SkipUnless(Environment.UserName == "root" && OperatingSystem.IsLinux(), "needs network namespaces: Linux and root");
        var alone = await PlayWithoutAsync(TimeSpan.FromSeconds(20));
        await using var cluster = new TestCluster();
        await cluster.StartAsync();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        var matches = Enumerable.Range(0, Matches).Select(_ => new PlayedMatch(cluster.Address)).ToList();

        // The same number of matches that publish nothing, at the same time. A busy machine delays the steps of both kinds.
        var others = matches.ConvertAll(_ => new PlayedMatch(null));
        var (playing, playingOthers) = (new List<Task<string?>>(), new List<Task<string?>>());
        foreach (var (match, other) in matches.Zip(others))
        {
            playing.Add(match.PlayAsync(stop.Token));
            playingOthers.Add(other.PlayAsync(stop.Token));
        }

        foreach (var match in matches)
        {
            while (match.Publisher!.Figures.Confirmed == 0)
            {
                await Task.Delay(100, Ct);
            }
        }

        // Readers from the beginning, and readers from the newest frame.
        var relays = await Task.WhenAll(Enumerable.Range(0, Matches * ReadersOfEach).Select(reader => RelaySource.OpenAsync(
            new RelayOptions(cluster.Address)
            {
                Match = matches[reader / ReadersOfEach].Publisher!.Key,
                From = reader % ReadersOfEach == 0 ? 0u : null,
                Warn = matches[reader / ReadersOfEach].Told.Enqueue,
            },
            Ct)));
        var reading = relays.Select(ReadAsync).ToList();
        output.WriteLine($"{DateTime.UtcNow:T} {reading.Count} readers read");
        var failures = new (string Name, Func<Task> Fail)[]
        {
            ("killed", async () =>
            {
                await cluster.StopAsync(0, kill: true);
                await Task.Delay(TimeSpan.FromSeconds(10), Ct);
                await cluster.StartAsync(0);
            }),
            ("cut off for 30 s", async () =>
            {
                TestCluster.Cut(1, off: true);
                await Task.Delay(TimeSpan.FromSeconds(30), Ct);
                TestCluster.Cut(1, off: false);
                await TestCluster.ServesAsync(1);
            }),
            ("restarted", async () =>
            {
                await cluster.StopAsync(2, kill: false);
                await cluster.StartAsync(2);
            }),
        };
        foreach (var (name, fail) in failures)
        {
            await fail();
            output.WriteLine($"{DateTime.UtcNow:T} a broker was {name}");

            // The streams must be complete again before the next broker fails, because two of three are needed.
            await Task.Delay(TimeSpan.FromSeconds(20), Ct);
            foreach (var match in matches)
            {
                var before = match.Publisher!.Figures.Confirmed;
                while (match.Publisher.Figures.Confirmed < before + 20)
                {
                    await Task.Delay(100, Ct);
                }
            }
        }

        await stop.CancelAsync();
        var unpublished = await Task.WhenAll(playing);
        var heard = await Task.WhenAll(reading);
        await Task.WhenAll(playingOthers);
        var (with, without) = (Late(matches), Late(others));
        output.WriteLine(
            $"frames {matches.Sum(match => match.Local.Count)}, read {heard.Sum(one => one.Count)}, "
            + $"late p50/p99 ms published {At(with, 0.5):0.00}/{At(with, 0.99):0.00}, not {At(without, 0.5):0.00}/{At(without, 0.99):0.00}, "
            + $"before there were brokers {At(alone, 0.5):0.00}/{At(alone, 0.99):0.00}");
        Assert.InRange(At(with, 0.99) / At(without, 0.99), 0, 1.2);
        Assert.All(unpublished, Assert.Null);
        for (var match = 0; match < Matches; match++)
        {
            var (local, figures) = (matches[match].Local, matches[match].Publisher!.Figures);
            Assert.Equal((local.Count, 0), (figures.Confirmed, figures.Missing));
            Assert.Equal(TimeSpan.Zero, matches[match].Held);
            Assert.Empty(matches[match].Told);
            for (var reader = 0; reader < ReadersOfEach; reader++)
            {
                var read = heard[(match * ReadersOfEach) + reader];
                Assert.True(reader > 0 || read.Count == local.Count);
                Assert.True(read.Count > local.Count / 2);
                Assert.Equal(local.TakeLast(read.Count), read);
            }
        }
    }

    private static double At(List<double> sorted, double share) => sorted[(int)((sorted.Count - 1) * share)];

    private static async Task<List<double>> PlayWithoutAsync(TimeSpan time)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Ct);
        stop.CancelAfter(time);
        var matches = Enumerable.Range(0, Matches).Select(_ => new PlayedMatch(null)).ToList();
        await Task.WhenAll(matches.Select(match => match.PlayAsync(stop.Token)));
        return Late(matches);
    }

    private static List<double> Late(IEnumerable<PlayedMatch> matches) => [.. matches.SelectMany(match => match.Late).Order()];

    private static async Task<List<Heard>> ReadAsync(RelaySource relay)
    {
        await using (relay)
        {
            var heard = new List<Heard>();
            while (await relay.Sides[0].NextAsync(Ct) is { } frame)
            {
                heard.Add(Heard.Of(frame));
                frame.Release();
            }

            return heard;
        }
    }
}
