using SC2APIProtocol;

namespace Sc2Bridge.Server.Tests;

/// <summary>A playback of 10 s of game time, with one loop in each step.</summary>
internal sealed class Played : IPlayback, IGameRequests
{
    private readonly V1.PlaybackState _state = new() { MatchId = "m", LastStep = 224, LastGameLoop = 224, Rate = 22.4 };

    public List<V1.ControlRequest> Asked { get; } = [];

    public V1.PlaybackState Control(V1.ControlRequest request)
    {
        if (request.CommandCase != V1.ControlRequest.CommandOneofCase.None)
        {
            Asked.Add(request.Clone());
            Asked[^1].MatchId = "";
            _state.Paused = request.HasPause ? request.Pause : _state.Paused;
            _state.Rate = request.HasRate ? request.Rate : _state.Rate;
            _state.GameLoop = request.HasSeekLoop ? request.SeekLoop : _state.GameLoop;
        }

        return _state.Clone();
    }

    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) => Task.FromResult(new Response());
}
