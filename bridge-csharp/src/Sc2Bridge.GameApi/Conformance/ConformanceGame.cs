using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>A game that is brought into each state of its API.</summary>
/// <param name="exchange">Sends a request as it stands, and gives the answer.</param>
/// <param name="map">The map's path or name; null for the first that the game lists.</param>
internal sealed class ConformanceGame(Func<Request, Task<Response>> exchange, string? map)
{
    private readonly Dictionary<string, ByteString> _replays = [];
    private string _map = map ?? "";
    private uint _id;

    /// <summary>Whether <see cref="ReplayAsync"/> has a replay, and leaves the game in its state.</summary>
    internal bool HasReplay => _replays.ContainsKey(_map);

    internal static string Short(Response response) =>
        response.ToString() is { Length: > 300 } text ? text[..300] : response.ToString();

    /// <summary>Brings the game into a state from any other.</summary>
    /// <exception cref="ConformanceException">It does not come there.</exception>
    internal async Task PrepareAsync(string state)
    {
        await ResetAsync();
        if (state == "launched")
        {
            return;
        }

        if (state == "in_replay")
        {
            Succeeds(await SendAsync(new Request { StartReplay = await ReplayAsync() }));
            return;
        }

        Succeeds(await SendAsync(new Request { CreateGame = await CreateAsync(state) }));
        if (state == "init_game")
        {
            return;
        }

        Succeeds(await SendAsync(new Request { JoinGame = Join(state) }));
        Succeeds(await SendAsync(new Request { QuickSave = new RequestQuickSave() }));
        if (state == "ended")
        {
            await EndAsync();
        }
    }

    /// <summary>Asks under the next id.</summary>
    internal async Task<Response> SendAsync(Request request)
    {
        request.Id = ++_id;
        return await exchange(request);
    }

    /// <summary>A game that leads to a state.</summary>
    internal async Task<RequestCreateGame> CreateAsync(string state)
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

    /// <summary>A place in such a game.</summary>
    internal static RequestJoinGame Join(string state) => state == "observer"
        ? new RequestJoinGame { ObservedPlayerId = 0, Options = Options() }
        : new RequestJoinGame { Race = Race.Terran, Options = Options() };

    /// <summary>A replay of a game on the map. The first one is made by playing.</summary>
    internal async Task<RequestStartReplay> ReplayAsync()
    {
        if (!_replays.TryGetValue(_map, out var replay))
        {
            await PrepareAsync("in_game");
            Succeeds(await SendAsync(new Request { Step = new RequestStep { Count = 20 } }));
            await EndAsync();
            var saved = await SendAsync(new Request { SaveReplay = new RequestSaveReplay() });
            _replays[_map] = replay = saved.SaveReplay.Data;
            await ResetAsync();
        }

        return new RequestStartReplay { ReplayData = replay, Options = Options() };
    }

    private static void Succeeds(Response response)
    {
        if (response.Error.Count > 0 || response.ToString().Contains("\"error\"", StringComparison.Ordinal))
        {
            throw new ConformanceException($"the game answered {Short(response)}");
        }
    }

    private async Task ResetAsync()
    {
        var status = (await SendAsync(new Request { Ping = new RequestPing() })).Status;
        if (status == Status.InitGame)
        {
            // Only a join leads out of it: as a player or as an observer, as it was created.
            var joined = await SendAsync(new Request { JoinGame = Join("in_game") });
            if (joined.JoinGame.HasError)
            {
                await SendAsync(new Request { JoinGame = Join("observer") });
            }
        }

        if (status != Status.Launched
            && (await SendAsync(new Request { LeaveGame = new RequestLeaveGame() })).Status is var left and not Status.Launched)
        {
            throw new ConformanceException($"a game that was left is {ApiState.NameOf(left)}, not launched");
        }
    }

    private async Task EndAsync()
    {
        await SendAsync(Request.Parser.ParseJson("""{"debug": {"debug": [{"endGame": {"endResult": "DeclareVictory"}}]}}"""));
        for (var tries = 0; tries < 50; tries++)
        {
            if ((await SendAsync(new Request { Step = new RequestStep() })).Status == Status.Ended)
            {
                return;
            }
        }

        throw new ConformanceException("the game does not end when a debug command says so");
    }

    private static PlayerSetup Computer() =>
        new() { Type = PlayerType.Computer, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy };

    private static InterfaceOptions Options() => new() { Raw = true, Score = true };
}
