using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Games.Tests.Proxied;

/// <summary>A match on a simulated game in this process, over its socket: a proxy in front, and a hub without transports.</summary>
internal sealed class ProxiedGame : IAsyncDisposable
{
    public const uint Seed = 5;

    private readonly CancellationTokenSource _stopping = new();
    private readonly TaskCompletionSource _listens = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly MatchRunner _runner;
    private bool _killed;

    private ProxiedGame(GameApiServer game, MatchSettings settings, ProxyOptions options, ulong steps)
    {
        Game = game;
        Source = new ProxySource(
            settings,
            new GameAddress("127.0.0.1", game.Port),
            options with { Say = line => { Said.Enqueue(line); _listens.TrySetResult(); } });
        _runner = new MatchRunner(Source, Hub, settings.Rate, steps);
        Started = Task.Run(() => _runner.StartAsync(_stopping.Token), Ct);
    }

    public GameApiServer Game { get; }

    public ProxySource Source { get; }

    public Hub Hub { get; } = new(new HubOptions { LockstepDeadline = Timeout.InfiniteTimeSpan });

    /// <summary>Completes when the bot has joined.</summary>
    public Task Started { get; }

    public System.Collections.Concurrent.ConcurrentQueue<string> Said { get; } = new();

    public static MatchSettings Settings { get; } = new()
    {
        Seed = Seed,
        Map = "Salt Basin LE",
        Players = [PlayerSpec.Api(Race.Terran), PlayerSpec.Computer(Race.Zerg, Difficulty.VeryEasy)],
    };

    public static async Task<ProxiedGame> StartAsync(
        ProxyOptions? options = null, MatchSettings? settings = null, SimulatorOptions? game = null, ulong steps = 0)
    {
        var server = await SimulatedGameServer.StartAsync(game ?? new SimulatorOptions(), Ct);
        var proxied = new ProxiedGame(server, settings ?? Settings, options ?? new ProxyOptions(), steps);
        await Task.WhenAny(proxied._listens.Task, proxied.Started);
        return proxied;
    }

    /// <summary>Connects a bot to the proxy.</summary>
    public Task<GameSocket> ConnectAsync() => GameSocket.ConnectAsync(Source.Address.Api);

    /// <summary>A bot that has joined a match. The bridge has created the match, and streams it.</summary>
    public async Task<(GameSocket Bot, Task<V1.MatchEnd> Run)> JoinAsync()
    {
        var bot = await ConnectAsync();
        Assert.NotNull((await bot.AskAsync(Asks.Join())).JoinGame);
        await Started;
        return (bot, RunAsync());
    }

    public Task<V1.MatchEnd> RunAsync() => Task.Run(() => _runner.RunAsync(_stopping.Token), Ct);

    public Streaming.Subscription Listen(V1.Policy policy = V1.Policy.Every, string name = "") => Hub.Subscribe(
        new V1.SubscribeRequest { Agent = name, Policy = policy }, new SubscriberInfo("test", DeliverInline: false));

    public Task<Response> AskAsync(Request request, uint perspective = 1) => Hub.CurrentMatch.RequestAsync(
        new V1.CallGameRequest { Perspective = perspective, Request = request }, "agent", Identity.Anonymous, Ct);

    /// <summary>Everything that an agent receives: its observations, and how the match ended.</summary>
    public static async Task<(List<byte[]> Observations, V1.MatchEnd? End)> HearAsync(Streaming.Subscription agent)
    {
        var observations = new List<byte[]>();
        while (true)
        {
            var next = await agent.ReadAsync(Ct);
            if (next.Frame is { } frame)
            {
                observations.Add(frame.Observation.ToArray());
                agent.Acknowledge(new V1.Acknowledgement { Step = frame.Header.Step });
            }

            next.Release();
            if (next.IsLast)
            {
                return (observations, next.Event?.MatchEnd);
            }
        }
    }

    /// <summary>Makes the game look like a killed process.</summary>
    public async Task KillGameAsync()
    {
        if (!Interlocked.Exchange(ref _killed, true))
        {
            await Game.DisposeAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stopping.CancelAsync();
        await Started.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Source.DisposeAsync();
        Hub.Dispose();
        await KillGameAsync();
        _stopping.Dispose();
    }
}

/// <summary>A bot's requests.</summary>
internal static class Asks
{
    public static Request Join(Race race = Race.Terran) => new()
    {
        JoinGame = new() { Race = race, Options = new() { Raw = true, Score = true } },
    };

    public static Request Create(bool realtime = false, uint seed = ProxiedGame.Seed) => new()
    {
        CreateGame = new()
        {
            LocalMap = new() { MapPath = "Salt Basin LE" },
            RandomSeed = seed,
            Realtime = realtime,
            PlayerSetup =
            {
                new PlayerSetup { Type = PlayerType.Participant },
                new PlayerSetup { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy },
            },
        },
    };

    public static Request Observe() => new() { Observation = new() };

    public static Request Step(uint loops = 1) => new() { Step = new() { Count = loops } };

    public static Request Quit() => new() { Quit = new() };

    public static Request Leave() => new() { LeaveGame = new() };

    public static Request Placements(int count)
    {
        var query = new RequestQuery();
        for (; count > 0; count--)
        {
            query.Placements.Add(
                new RequestQueryBuildingPlacement { AbilityId = 319, TargetPos = new() { X = 40, Y = 40 } });
        }

        return new Request { Query = query };
    }
}
