using Sc2Bridge.Foxglove;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>A client's control of a playback in Foxglove's terms, by the way that all clients control it.</summary>
/// <param name="current">Controls it, and checks the client's role.</param>
/// <param name="matchId">The match that the client is shown.</param>
/// <param name="identity">The client.</param>
/// <param name="socket">The client's.</param>
/// <param name="knowsState">
/// Whether it knows the message that tells how a playback stands; else it is taken for an error, until the client has asked.
/// </param>
internal sealed class FoxglovePlayback(
    CurrentMatch current, string matchId, Identity identity, FoxgloveSocket socket, bool knowsState)
{
    // How often is looked whether somebody else has paused the playback, or changed its speed.
    private static readonly TimeSpan Glance = TimeSpan.FromMilliseconds(250);

    private volatile bool _knowsState = knowsState;
    private (bool Paused, double Rate)? _told;

    /// <summary>How it stands; null where the client may not know, or the match is over.</summary>
    public PlaybackState? Read()
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
    /// Does as the client asks, and answers; it pauses before it moves, and goes on after. That it has moved is told before the
    /// frame that it moved to.
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
            await socket.WarnAsync(refused.Message);
            state = Read();
        }

        if (state is not null)
        {
            await TellAsync(state, requestId: request.RequestId);
        }
    }

    /// <summary>Tells what others do with it, until its end, or that of the client's token.</summary>
    public async Task WatchAsync(CancellationToken ct)
    {
        using var timer = new PeriodicTimer(Glance);
        while (Read() is { } state)
        {
            if ((state.Paused, state.Rate) != _told)
            {
                await TellAsync(state);
            }

            await timer.WaitForNextTickAsync(ct);
        }
    }

    /// <summary>Tells how it stands.</summary>
    /// <param name="state">As the playback says.</param>
    /// <param name="didSeek">Whether it has just moved.</param>
    /// <param name="requestId">Of the request that this answers; empty where it answers none.</param>
    public Task TellAsync(PlaybackState state, bool didSeek = false, string requestId = "")
    {
        _told = (state.Paused, state.Rate);
        var status = state.Paused ? PlaybackStatus.Paused : PlaybackStatus.Playing;
        return SendAsync(status, state.GameLoop, SpeedOf(state), didSeek, requestId);
    }

    public Task TellEndAsync(uint loop) => SendAsync(PlaybackStatus.Ended, loop, 1, false, "");

    private Task SendAsync(PlaybackStatus status, uint loop, float speed, bool didSeek, string requestId) => _knowsState
        ? socket.SendBinaryAsync(ServerMessage.PlaybackState(status, GameTime.OfLoop(loop), speed, didSeek, requestId))
        : Task.CompletedTask;

    private PlaybackState Apply(ClientMessage.PlaybackControl request)
    {
        var state = Control(new());
        if (request.IsPaused && !state.Paused)
        {
            state = Control(new() { Pause = true });
        }

        // Clients repeat the speed that they were told with every request.
        if (request.Speed != SpeedOf(state))
        {
            state = float.IsFinite(request.Speed) && request.Speed > 0
                ? Control(new() { Rate = GameTime.HzOf(request.Speed, LoopsPerStep(state)) })
                : throw new RequestRefusedException(
                    StatusCode.InvalidArgument, "the playback's speed is a factor above 0 of the game's");
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
