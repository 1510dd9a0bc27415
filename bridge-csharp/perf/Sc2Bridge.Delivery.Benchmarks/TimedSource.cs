using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>
/// A game whose steps are timed: from asking it to holding its answer, by the stamps that every frame bears.
/// </summary>
/// <param name="game">Disposed with this.</param>
internal sealed class TimedSource(IGameSource game) : IGameSource
{
    /// <summary>Each step so far, in µs.</summary>
    public List<double> StepUs { get; } = [];

    /// <summary>When each was asked for, on the monotonic clock.</summary>
    public List<long> RequestedNs { get; } = [];

    public MatchDescription Description => game.Description;

    public MatchEnd? End => game.End;

    public Task StartAsync(CancellationToken cancellationToken) => game.StartAsync(cancellationToken);

    public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        var frame = await game.NextAsync(cancellationToken);
        if (frame is not null)
        {
            RequestedNs.Add(frame.Header.RequestedNs);
            StepUs.Add((frame.Header.ObservedNs - frame.Header.RequestedNs) / 1000.0);
        }

        return frame;
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        game.RequestAsync(perspective, request, ct);

    public ValueTask DisposeAsync() => game.DisposeAsync();
}
