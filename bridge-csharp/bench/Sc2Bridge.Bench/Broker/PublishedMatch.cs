using System.Diagnostics;
using Sc2Bridge.Broker;
using Sc2Bridge.Broker.Publishing;
using Sc2Bridge.Broker.Reading;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>A recording that is published to a broker like a match. Its readers know when each frame was observed.</summary>
internal sealed class PublishedMatch : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(1);

    // More steps than any reader is late.
    private readonly long[] _observedNs = new long[1 << 16];
    private readonly RecordedSource _source;
    private readonly Hub _hub;
    private readonly FrameWatch _stamps;
    private readonly StepRate _rate;

    /// <param name="hub">The hub that plays it.</param>
    /// <param name="broker">The broker that it is published to.</param>
    /// <param name="recording">The file.</param>
    /// <param name="options">How it is played.</param>
    public PublishedMatch(Hub hub, BrokerAddress broker, string recording, PlaybackOptions options)
    {
        (_hub, _rate) = (hub, options.Rate);
        _source = RecordedSource.Open(recording, options);
        Publisher = new MatchPublisher(
            hub, new PublishOptions(broker) { EndDeadline = TimeSpan.FromMinutes(2), MaxAge = TimeSpan.FromDays(1) },
            Path.Combine(Path.GetTempPath(), $"sc2bridge-bench-{Guid.NewGuid():N}"), new SharedCompression(),
            new SidePath("publishing"), static _ => { });
        _stamps = new FrameWatch(
            hub, frame => _observedNs[frame.Header.Step % (ulong)_observedNs.Length] = frame.Header.ObservedNs);
    }

    /// <summary>The publisher.</summary>
    public MatchPublisher Publisher { get; }

    /// <summary>Plays until the end or until it is stopped, and waits until the broker has confirmed everything.</summary>
    /// <exception cref="CommandException">The broker did not confirm everything.</exception>
    public async Task PlayAsync(TimeSpan delay, CancellationToken stop)
    {
        await Task.Delay(delay, CancellationToken.None);
        var runner = new MatchRunner(_source, _hub, _rate, stepLimit: 0);
        await runner.StartAsync(CancellationToken.None);
        var end = await runner.RunAsync(stop);
        await _stamps.Ended;
        if (await Publisher.EndAsync(end, CancellationToken.None) is { } problem)
        {
            throw new CommandException(problem);
        }
    }

    /// <summary>Begins to read it from the broker, as a relay does.</summary>
    /// <param name="broker">The broker.</param>
    /// <param name="from">The game loop; null for the newest.</param>
    /// <param name="ct">Stops it.</param>
    public async Task<RelaySource> OpenAsync(BrokerAddress broker, uint? from, CancellationToken ct)
    {
        // An overloaded broker answers late. A user would try again.
        for (var began = Stopwatch.GetTimestamp(); ;)
        {
            try
            {
                return await RelaySource.OpenAsync(new RelayOptions(broker) { Match = Publisher.Key, From = from }, ct);
            }
            catch (BrokerException) when (Stopwatch.GetElapsedTime(began) < _patience)
            {
            }
        }
    }

    /// <summary>Reads to the match's end.</summary>
    /// <returns>How late each frame was, in µs.</returns>
    public async Task<List<double>> ReadAsync(RelaySource relay, CancellationToken ct)
    {
        await using var source = relay;
        List<double> delaysUs = [];
        while (await relay.Sides[0].NextAsync(ct) is { } frame)
        {
            delaysUs.Add((MonotonicClock.NowNs - ObservedNs(frame.Header.Step)) / 1e3);
            frame.Release();
        }

        return delaysUs;
    }

    // When the newest frame of a step was observed.
    private long ObservedNs(ulong step) => Volatile.Read(ref _observedNs[step % (ulong)_observedNs.Length]);

    public async ValueTask DisposeAsync()
    {
        Publisher.Dispose();
        _stamps.Dispose();
        await _source.DisposeAsync();
    }
}
