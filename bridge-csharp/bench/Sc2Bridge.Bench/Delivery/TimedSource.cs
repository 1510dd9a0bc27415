using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Bench;

/// <summary>
/// The game with the benchmark's frames, whose steps are timed: from asking it to holding its answer, by the stamps that
/// every frame bears.
/// </summary>
/// <param name="folder">The frames.</param>
internal sealed class TimedSource(string folder) : IGameSource
{
    private readonly StarCraftSource _game = new(new MatchSettings(), FrameGame.Launch(folder));

    /// <summary>Each step so far, in µs.</summary>
    public List<double> StepUs { get; } = [];

    public MatchDescription Description => _game.Description;

    public MatchEnd? End => _game.End;

    public Task StartAsync(CancellationToken cancellationToken) => _game.StartAsync(cancellationToken);

    public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        var frame = await _game.NextAsync(cancellationToken);
        if (frame is not null)
        {
            StepUs.Add((frame.Header.ObservedNs - frame.Header.RequestedNs) / 1000.0);
        }

        return frame;
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) =>
        _game.RequestAsync(perspective, request, ct);

    public ValueTask DisposeAsync() => _game.DisposeAsync();
}
