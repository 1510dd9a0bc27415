using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Plays the parts of the check on one game, which is started once. If a part fails, the next part may start it again.</summary>
/// <param name="origin">The game to start, or the address of a game that runs already.</param>
/// <param name="options">The limits of the connection.</param>
/// <param name="partLimit">How long a part may take. The start of the game does not count.</param>
internal sealed class PlayedGame(GameOrigin origin, GameClientOptions options, TimeSpan partLimit) : IAsyncDisposable
{
    // One minute of the game's time, in steps of about one second.
    private const int Steps = 60;
    private const uint StepSize = 22;

    // About four seconds.
    private const int RealTimeSteps = 22;
    private const uint RealTimeStepSize = 4;

    private static readonly PlayerSpec[] _computers = [.. new MatchSettings().Players];

    private KeptGame _kept = new();
    private bool _isStuck;
    private ByteString? _replay;
    private ConformanceSuite? _suite;

    /// <summary>The map to play.</summary>
    internal string Map { get; set; } = new MatchSettings().Map;

    /// <summary>The answers to the requests of <see cref="AskEverythingAsync"/>, also if it did not end.</summary>
    internal IReadOnlyList<ConformanceAnswer> Answers => _suite?.Answers ?? [];

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _kept.DisposeAsync();

    /// <summary>Opens the game, and returns its versions.</summary>
    /// <exception cref="GameException">The game does not start, or nothing listens at the address.</exception>
    internal async Task<ResponsePing> PingAsync(CancellationToken ct) =>
        (await (await OpenAsync(ct)).Client.SendAsync(new Request { Ping = new RequestPing() }, ct)).Ping;

    /// <summary>Plays a part. Returns what it found, or why it is not complete.</summary>
    internal async Task<(PartFacts? Facts, string? Problem)> TryAsync(Func<CancellationToken, Task<PartFacts>> part, CancellationToken ct)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ct);
        try
        {
            if (_isStuck)
            {
                await _kept.DisposeAsync();
                (_kept, _isStuck) = (new KeptGame(), false);
            }

            await OpenAsync(ct);
            limit.CancelAfter(partLimit);
            return (await part(limit.Token).WaitAsync(limit.Token), null);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            _isStuck = true;
            return (null, $"not complete after {partLimit.TotalSeconds:0.#} s");
        }
        catch (GameException failed)
        {
            return (null, failed.Message);
        }
#pragma warning disable CA1031 // A game can answer in a way that no code expects. This is a finding too, and the other parts follow.
        catch (Exception failed) when (failed is not OperationCanceledException)
#pragma warning restore CA1031
        {
            return (null, $"{failed.GetType().Name}: {failed.Message}");
        }
    }

    /// <summary>The part "bridge": two computers, watched by an observer, as <c>match</c> without options plays.</summary>
    internal Task<PartFacts> WatchComputersAsync(CancellationToken ct) =>
        ReadAsync(new StarCraftSource(Settings(_computers), origin, options, kept: _kept), Steps, ct);

    /// <summary>The part "proxy": a bot plays through the proxy, and saves the replay.</summary>
    internal async Task<PartFacts> PlayThroughProxyAsync(CancellationToken ct)
    {
        var facts = new PartFacts();
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var bot = new TaskCompletionSource<ByteString>(TaskCreationOptions.RunContinuationsAsynchronously);
        var listen = new ProxyOptions { OnListening = address => _ = PlayAsync(address) };
        try
        {
            await using var source = new ProxySource(Settings(Players("api:terran")), origin, listen, options, kept: _kept);
            await ReadAsync(source, int.MaxValue, facts, timed: false, ending.Token);
        }
        catch (OperationCanceledException) when (bot.Task.IsFaulted)
        {
            // The bot's failure is the cause.
        }

        _replay = await bot.Task.WaitAsync(ct);
        return facts;

        async Task PlayAsync(GameAddress address)
        {
            try
            {
                bot.SetResult(await new ProbeBot(options, facts).PlayAsync(address, Steps, StepSize, ending.Token));
            }
#pragma warning disable CA1031 // The caller gets every failure.
            catch (Exception failure)
#pragma warning restore CA1031
            {
                bot.SetException(failure);
                await ending.CancelAsync();
            }
        }
    }

    /// <summary>The part "replay": the game plays the proxy's match again, from the replay.</summary>
    internal async Task<PartFacts> WatchReplayAsync(CancellationToken ct)
    {
        var bytes = _replay ?? throw new GameException("no replay was saved: the part \"proxy\" saves it");
        const string name = "doctor" + Replay.Extension;
        var replay = new Replay(name, bytes, ReplayHead.Read(bytes.Span, name));
        var settings = new ReplaySettings { Observe = 1, StepSize = StepSize };
        return await ReadAsync(new ReplaySource(replay, settings, new ReplayGame(await OpenAsync(ct)), keepsGame: true), Steps, ct);
    }

    /// <summary>The part "real time": an agent's side in real time.</summary>
    internal Task<PartFacts> PlayInRealTimeAsync(CancellationToken ct)
    {
        var settings = Settings(Players("agent:terran")) with { Rate = StepRate.GameClock, StepSize = RealTimeStepSize };
        return ReadAsync(new StarCraftSource(settings, origin, options, kept: _kept), RealTimeSteps, ct);
    }

    /// <summary>The part "requests": every request in every state.</summary>
    internal async Task<PartFacts> AskEverythingAsync(string? map, CancellationToken ct)
    {
        var game = await OpenAsync(ct);
        _suite = new ConformanceSuite(request => game.Client.ExchangeUnchangedAsync(request, ct), map);
        await _suite.RunAsync(static _ => { });
        return new PartFacts();
    }

    private static PlayerSpec[] Players(string first) => [PlayerSpec.Parse(first), PlayerSpec.Parse("computer:zerg:VeryEasy")];

    private static async Task<PartFacts> ReadAsync(IGameSource source, int steps, CancellationToken ct)
    {
        await using (source)
        {
            return await ReadAsync(source, steps, new PartFacts(), timed: true, ct);
        }
    }

    private static async Task<PartFacts> ReadAsync(IGameSource source, int steps, PartFacts facts, bool timed, CancellationToken ct)
    {
        await source.StartAsync(ct);
        facts.AddMatch(source.Description);
        var begin = Stopwatch.GetTimestamp();
        var last = TimeSpan.Zero;
        while (facts.Observations < steps && await source.NextAsync(ct) is { } frame)
        {
            var now = Stopwatch.GetElapsedTime(begin);
            if (timed && facts.Observations > 0)
            {
                facts.AddTime("step and observation", now - last);
            }

            facts.Add(frame, now);
            last = Stopwatch.GetElapsedTime(begin);
        }

        return facts;
    }

    private Task<RunningGame> OpenAsync(CancellationToken ct) => _kept.OpenAsync(origin, options, ct);

    private MatchSettings Settings(PlayerSpec[] players) => new() { Map = Map, Players = players, Seed = 4, StepSize = StepSize };
}
