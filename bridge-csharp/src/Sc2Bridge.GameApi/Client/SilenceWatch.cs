using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>Detects a game that hangs: an answer is due for too long, and the game sends no data during that time.</summary>
internal sealed class SilenceWatch : IAsyncDisposable
{
    private readonly RequestPipeline _pipeline;
    private readonly GameClientOptions _options;
    private readonly Func<long?> _lastDataNs;
    private readonly Action<GameException> _onHang;
    private readonly Timer _timer;
    private volatile bool _hasHung;

    /// <param name="pipeline">The requests that wait for answers.</param>
    /// <param name="options">How long the game may be silent.</param>
    /// <param name="lastDataNs">Returns when the game last sent data. Returns null while an answer is handled, because the next answer
    /// may have arrived, but was not read.</param>
    /// <param name="onHang">Called with the error, on a timer's thread.</param>
    internal SilenceWatch(
        RequestPipeline pipeline, GameClientOptions options, Func<long?> lastDataNs, Action<GameException> onHang)
    {
        (_pipeline, _options, _lastDataNs, _onHang) = (pipeline, options, lastDataNs, onHang);
        var period = TimeSpan.FromTicks(Math.Min(TimeSpan.TicksPerSecond, options.RequestTimeout.Ticks / 4));
        _timer = new Timer(static watch => ((SilenceWatch)watch!).CheckSilence(), this, period, period);
    }

    /// <inheritdoc cref="GameClient.OthersWaitSinceNs"/>
    internal Func<long>? OthersWaitSinceNs { private get; set; }

    /// <summary>Whether the game was found to hang.</summary>
    internal bool HasHung => _hasHung;

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void CheckSilence()
    {
        if (_pipeline.Oldest is not { } oldest || _lastDataNs() is not { } lastDataNs)
        {
            return;
        }

        var silentSince = Math.Max(oldest.RequestedNs, lastDataNs);
        if (OthersWaitSinceNs is { } othersWaitSince && WaitsForOthers(oldest.Kind))
        {
            silentSince = Math.Max(silentSince, othersWaitSince());
        }

        var timeout = TimeoutOf(oldest.Kind);
        if (MonotonicClock.NowNs - silentSince > timeout.TotalNanoseconds)
        {
            _hasHung = true;
            _onHang(new GameException(
                $"The game hangs: no answer to {ApiState.NameOf(oldest.Kind)} in {timeout.TotalSeconds:0.###} s: end its process.")
            {
                Fault = GameFault.Hung,
            });
        }
    }

    // In real time, a request for the observation of a later game loop also waits for the other clients.
    private static bool WaitsForOthers(Kind kind) => kind is Kind.JoinGame or Kind.Step or Kind.Observation;

    // For some requests the game loads a map. Such requests take longer.
    private TimeSpan TimeoutOf(Kind kind) =>
        kind is Kind.CreateGame or Kind.JoinGame or Kind.StartReplay or Kind.RestartGame or Kind.QuickLoad
        && _options.LoadTimeout > _options.RequestTimeout ? _options.LoadTimeout : _options.RequestTimeout;
}
