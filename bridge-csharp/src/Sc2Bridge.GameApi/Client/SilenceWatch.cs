using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Kind = SC2APIProtocol.Request.RequestOneofCase;

namespace Sc2Bridge.GameApi;

/// <summary>Notices that a game hangs: an answer is due for too long, and the game sends nothing meanwhile.</summary>
internal sealed class SilenceWatch : IAsyncDisposable
{
    private readonly RequestPipeline _pipeline;
    private readonly GameClientOptions _options;
    private readonly Func<long?> _heardNs;
    private readonly Action<GameException> _hangs;
    private readonly Timer _timer;
    private volatile bool _hasHung;

    /// <param name="pipeline">What the game was asked.</param>
    /// <param name="options">How long the game may be silent.</param>
    /// <param name="heardNs">When the game last sent something; null while an answer is being handled, as the next one may wait unread.</param>
    /// <param name="hangs">Called, on a timer's thread, with what to say.</param>
    internal SilenceWatch(
        RequestPipeline pipeline, GameClientOptions options, Func<long?> heardNs, Action<GameException> hangs)
    {
        (_pipeline, _options, _heardNs, _hangs) = (pipeline, options, heardNs, hangs);
        var period = TimeSpan.FromTicks(Math.Min(TimeSpan.TicksPerSecond, options.RequestTimeout.Ticks / 4));
        _timer = new Timer(static watch => ((SilenceWatch)watch!).Look(), this, period, period);
    }

    /// <inheritdoc cref="GameClient.OthersWaitSinceNs"/>
    internal Func<long>? OthersWaitSinceNs { private get; set; }

    /// <summary>Whether the game was found to hang.</summary>
    internal bool HasHung => _hasHung;

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Look()
    {
        if (_pipeline.Oldest is not { } oldest || _heardNs() is not { } heardNs)
        {
            return;
        }

        var silentSince = Math.Max(oldest.RequestedNs, heardNs);
        if (OthersWaitSinceNs is { } othersWaitSince && WaitsForOthers(oldest.Kind))
        {
            silentSince = Math.Max(silentSince, othersWaitSince());
        }

        var patience = Patience(oldest.Kind);
        if (MonotonicClock.NowNs - silentSince > patience.TotalNanoseconds)
        {
            _hasHung = true;
            _hangs(new GameException(
                $"The game hangs: no answer to {ApiState.NameOf(oldest.Kind)} in {patience.TotalSeconds:0.###} s: end it."));
        }
    }

    // In real time an observation may be asked for that a later loop brings.
    private static bool WaitsForOthers(Kind kind) => kind is Kind.JoinGame or Kind.Step or Kind.Observation;

    // Some requests have the game load a map.
    private TimeSpan Patience(Kind kind) =>
        kind is Kind.CreateGame or Kind.JoinGame or Kind.StartReplay or Kind.RestartGame or Kind.QuickLoad
        && _options.LoadTimeout > _options.RequestTimeout ? _options.LoadTimeout : _options.RequestTimeout;
}
