using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>Brings a game into each state of its API.</summary>
/// <param name="exchange">Sends a request unchanged and returns the answer.</param>
/// <param name="map">The map's path or name; null for the first map that the game lists.</param>
internal sealed class ConformanceGame(Func<Request, Task<Response>> exchange, string? map)
{
    private readonly Dictionary<string, ByteString> _replays = [];
    private string _map = map ?? "";
    private uint _id;

    /// <summary>Whether a replay exists for <see cref="StartReplayRequestAsync"/>. If so, that method does not change the game's state.</summary>
    internal bool HasReplay => _replays.ContainsKey(_map);

    internal static string Shorten(Response response) =>
        response.ToString() is { Length: > 300 } text ? text[..300] : response.ToString();

    /// <summary>Brings the game into a state, whatever its state is now.</summary>
    /// <exception cref="ConformanceException">The game does not reach the state.</exception>
    internal async Task PrepareAsync(string state)
    {
        await ResetAsync();
        if (state == "launched")
        {
            return;
        }

        if (state == "in_replay")
        {
            ThrowIfError(await SendAsync(new Request { StartReplay = await StartReplayRequestAsync() }));
            return;
        }

        ThrowIfError(await SendAsync(new Request { CreateGame = await CreateRequestAsync(state) }));
        if (state == "init_game")
        {
            return;
        }

        ThrowIfError(await SendAsync(new Request { JoinGame = JoinRequest(state) }));
        ThrowIfError(await SendAsync(new Request { QuickSave = new RequestQuickSave() }));
        if (state == "ended")
        {
            await EndGameAsync();
        }
    }

    /// <summary>Sends a request with the next id.</summary>
    internal async Task<Response> SendAsync(Request request)
    {
        request.Id = ++_id;
        return await exchange(request);
    }

    /// <summary>Returns a request that creates a game for a state.</summary>
    internal async Task<RequestCreateGame> CreateRequestAsync(string state)
    {
        if (_map.Length == 0)
        {
            var maps = (await SendAsync(new Request { AvailableMaps = new RequestAvailableMaps() })).AvailableMaps;
            _map = maps.LocalMapPaths.FirstOrDefault() ?? throw new ConformanceException("the game lists no map");
        }

        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = _map },
            RandomSeed = 1,
            Realtime = state == "realtime",
        };
        create.PlayerSetup.Add(state == "observer" ? Computer() : new PlayerSetup { Type = PlayerType.Participant });
        create.PlayerSetup.Add(Computer());
        if (state == "observer")
        {
            create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        }

        return create;
    }

    /// <summary>Returns the request that joins a game that <see cref="CreateRequestAsync"/> created for a state.</summary>
    internal static RequestJoinGame JoinRequest(string state) => state == "observer"
        ? new RequestJoinGame { ObservedPlayerId = 0, Options = Options() }
        : new RequestJoinGame { Race = Race.Terran, Options = Options() };

    /// <summary>Returns a request that starts a replay. The first call plays a game on the map, to get the replay.</summary>
    internal async Task<RequestStartReplay> StartReplayRequestAsync()
    {
        if (!_replays.TryGetValue(_map, out var replay))
        {
            await PrepareAsync("in_game");
            ThrowIfError(await SendAsync(new Request { Step = new RequestStep { Count = 20 } }));
            await EndGameAsync();
            var saved = await SendAsync(new Request { SaveReplay = new RequestSaveReplay() });
            ThrowIfError(saved);
            _replays[_map] = replay = saved.SaveReplay.Data;
            await ResetAsync();
        }

        return new RequestStartReplay { ReplayData = replay, Options = Options() };
    }

    private static void ThrowIfError(Response response)
    {
        if (response.Error.Count > 0 || response.ToString().Contains("\"error\"", StringComparison.Ordinal))
        {
            throw new ConformanceException($"the game answered {Shorten(response)}");
        }
    }

    private async Task ResetAsync()
    {
        var status = (await SendAsync(new Request { Ping = new RequestPing() })).Status;
        if (status == Status.InitGame)
        {
            // Only a join leaves this state. How the game was created decides whether a player or an observer can join.
            var joined = await SendAsync(new Request { JoinGame = JoinRequest("in_game") });
            if (joined.JoinGame.HasError)
            {
                await SendAsync(new Request { JoinGame = JoinRequest("observer") });
            }
        }

        if (status == Status.Launched)
        {
            return;
        }

        // A ping asks for the state again, because the answer to leave_game is one of the tested answers.
        await SendAsync(new Request { LeaveGame = new RequestLeaveGame() });
        if ((await SendAsync(new Request { Ping = new RequestPing() })).Status is var after and not Status.Launched)
        {
            throw new ConformanceException($"after leave_game the game is {ApiState.NameOf(after)}, not launched");
        }
    }

    private async Task EndGameAsync()
    {
        await SendAsync(Request.Parser.ParseJson("""{"debug": {"debug": [{"endGame": {"endResult": "DeclareVictory"}}]}}"""));
        for (var tries = 0; tries < 50; tries++)
        {
            if ((await SendAsync(new Request { Step = new RequestStep() })).Status == Status.Ended)
            {
                return;
            }
        }

        throw new ConformanceException("the game does not end after a debug command to end it");
    }

    private static PlayerSetup Computer() =>
        new() { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy };

    private static InterfaceOptions Options() => new() { Raw = true, Score = true };
}
