using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>Lets a Foxglove client control a playback, through the same call that all clients use.</summary>
/// <param name="current">Controls the playback, and checks the client's role.</param>
/// <param name="matchId">The match that the client sees.</param>
/// <param name="identity">The client's identity.</param>
/// <param name="socket">The client's socket.</param>
/// <param name="knowsState">
/// Whether the client knows the message with the playback's state. Other clients would show that message as an error,
/// so they get it only after they have sent a control request.
/// </param>
internal sealed class FoxglovePlayback(
    CurrentMatch current, string matchId, Identity identity, FoxgloveSocket socket, bool knowsState)
{
    // How often to check whether another client has paused the playback or changed its speed.
    private static readonly TimeSpan CheckInterval = TimeSpan.FromMilliseconds(250);

    private volatile bool _knowsState = knowsState;
    private (bool Paused, double Rate)? _lastSent;

    /// <summary>The playback's state; null if the client may not see it, or the match has ended.</summary>
    public PlaybackState? ReadState()
    {
        try
        {
            return Control(new());
        }
        catch (RequestRefusedException)
        {
            return null;
        }
    }

    /// <summary>
    /// Executes a control request and answers it. A pause takes effect before the request's seek, and a resume takes
    /// effect after the seek. The client gets the message about the seek before the frame at the new position.
    /// </summary>
    public async Task ControlAsync(ClientMessage.PlaybackControl request)
    {
        _knowsState = true;
        PlaybackState? state;
        try
        {
            state = Apply(request);
        }
        catch (RequestRefusedException refused)
        {
            await socket.SendErrorAsync(refused.Message);
            state = ReadState();
        }

        if (state is not null)
        {
            await SendStateAsync(state, requestId: request.RequestId);
        }
    }

    /// <summary>Reports changes by other clients until the playback ends or the client's token expires.</summary>
    public async Task WatchAsync(CancellationToken ct)
    {
        using var timer = new PeriodicTimer(CheckInterval);
        while (ReadState() is { } state)
        {
            if ((state.Paused, state.Rate) != _lastSent)
            {
                await SendStateAsync(state);
            }

            await timer.WaitForNextTickAsync(ct);
        }
    }

    /// <summary>Sends the playback's state.</summary>
    /// <param name="state">The state.</param>
    /// <param name="didSeek">Whether the playback has just moved.</param>
    /// <param name="requestId">The id of the request that this message answers; empty if it answers no request.</param>
    public Task SendStateAsync(PlaybackState state, bool didSeek = false, string requestId = "")
    {
        _lastSent = (state.Paused, state.Rate);
        var status = state.Paused ? PlaybackStatus.Paused : PlaybackStatus.Playing;
        return SendAsync(status, state.GameLoop, SpeedOf(state), didSeek, requestId);
    }

    public Task SendEndAsync(uint loop) => SendAsync(PlaybackStatus.Ended, loop, 1, false, "");

    private Task SendAsync(PlaybackStatus status, uint loop, float speed, bool didSeek, string requestId) => _knowsState
        ? socket.SendBinaryAsync(ServerMessage.PlaybackState(status, GameTime.FromLoop(loop), speed, didSeek, requestId))
        : Task.CompletedTask;

    private PlaybackState Apply(ClientMessage.PlaybackControl request)
    {
        var state = Control(new());
        if (request.IsPaused && !state.Paused)
        {
            state = Control(new() { Pause = true });
        }

        // Clients repeat the speed that they last received with every request.
        if (request.Speed != SpeedOf(state))
        {
            state = float.IsFinite(request.Speed) && request.Speed > 0
                ? Control(new() { Rate = GameTime.HzOf(request.Speed, LoopsPerStep(state)) })
                : throw new RequestRefusedException(
                    StatusCode.InvalidArgument, $"the playback's speed {request.Speed} is invalid: give a factor of the game's speed, above 0");
        }

        if (request.SeekNs is { } timeNs)
        {
            state = Control(new()
            {
                SeekLoop = Math.Clamp(GameTime.LoopAt(timeNs), state.FirstGameLoop, state.LastGameLoop),
            });
        }

        return !request.IsPaused && state.Paused ? Control(new() { Pause = false }) : state;
    }

    private static float SpeedOf(PlaybackState state) => GameTime.SpeedOf(state.Rate, LoopsPerStep(state));

    private static double LoopsPerStep(PlaybackState state) =>
        state.LastStep > state.FirstStep && state.LastGameLoop > state.FirstGameLoop
            ? (state.LastGameLoop - state.FirstGameLoop) / (double)(state.LastStep - state.FirstStep) : 1;

    private PlaybackState Control(ControlRequest request)
    {
        request.MatchId = matchId;
        return current.Control(request, identity);
    }
}
