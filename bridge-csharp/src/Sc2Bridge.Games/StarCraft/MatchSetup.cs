using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using JoinError = SC2APIProtocol.ResponseJoinGame.Types.Error;

namespace Sc2Bridge.Games;

/// <summary>Creates and joins a match in a connected game, which may be in any state.</summary>
internal static class MatchSetup
{
    private const int PortAttempts = 3;

    /// <summary>
    /// Creates the match if the slot is the first. Joins the match as the player of the slot, or as an observer if only
    /// computers play. The returned description has one perspective: the client's.
    /// </summary>
    internal static async Task<V1.MatchDescription> RunAsync(
        GameClient client, MatchSettings settings, PlayerSlot slot, GameLaunch? launch, CancellationToken ct)
    {
        var ping = (await client.SendAsync(new Request { Ping = new RequestPing() }, ct)).Ping;
        await slot.EnterAsync(client, ping, ct);
        await OpenAsync(client, settings, slot, launch?.Installation, ct);
        var joined = await JoinAsync(client, settings, slot, ct);
        var perspective = settings.HasAgents ? joined.PlayerId : settings.Observe;
        if (slot.Shared is not null && perspective != settings.Sides[slot.Side] + 1)
        {
            throw new GameException(
                $"The game gave the player in place {settings.Sides[slot.Side] + 1} the number {perspective}: put the "
                + "sides that agents play before the computers.");
        }

        var facts = await GameFacts.AskAsync(client, ping, ct);
        var description = facts.Describe(settings, perspective);
        description.Simulated |= launch is { Simulated: true };
        description.Players.Clear();
        foreach (var (id, spec) in NumberedPlayers(settings, perspective))
        {
            var player = spec.Describe(id);
            player.Name = facts.GameInfo.PlayerInfo.FirstOrDefault(known => known.PlayerId == id)?.PlayerName ?? "";
            description.Players.Add(player);
        }

        return description;
    }

    /// <summary>
    /// Prepares the join: leaves an old match that no client observes any more, and creates the match if the slot is the
    /// first.
    /// </summary>
    /// <exception cref="GameException">The game refused, or the map does not exist.</exception>
    internal static async Task OpenAsync(
        GameClient client, MatchSettings settings, PlayerSlot slot, Installation? installation, CancellationToken ct)
    {
        if (client.Status is Status.InGame or Status.InReplay
            || (client.Status == Status.Ended && slot.Shared is not null))
        {
            // A game that ran already may still be in a match whose client has disconnected. After a match of two clients, each
            // client must leave, even if the match has ended.
            await client.SendAsync(new Request { LeaveGame = new RequestLeaveGame() }, ct);
        }

        if (slot.Side == 0)
        {
            var create = BuildCreateRequest(settings);
            if (settings.Scenario is { } scenario)
            {
                create.LocalMap = new LocalMap { MapPath = scenario.Name + MapNames.Extension, MapData = scenario.File };
            }
            else
            {
                await SetMapAsync(create, client, settings.Map, installation, ct);
            }

            await client.SendAsync(new Request { CreateGame = create }, ct);
        }

        client.Realtime = settings.Rate.Realtime;
    }

    private static RequestCreateGame BuildCreateRequest(MatchSettings settings)
    {
        var create = new RequestCreateGame { DisableFog = settings.DisableFog, Realtime = settings.Rate.Realtime };
        if (settings.Seed is { } seed)
        {
            create.RandomSeed = seed;
        }

        foreach (var player in settings.Players)
        {
            create.PlayerSetup.Add(ToSetup(player));
        }

        if (!settings.HasAgents)
        {
            create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Observer });
        }

        return create;
    }

    // The games of two sides find each other through ports. If another program has taken a port, the games join again with other ports.
    private static async Task<ResponseJoinGame> JoinAsync(
        GameClient client, MatchSettings settings, PlayerSlot slot, CancellationToken ct)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                return (await client.SendAsync(new Request { JoinGame = BuildJoinRequest(settings, slot) }, ct)).JoinGame;
            }
            catch (GameRequestException refused) when (attempt < PortAttempts && slot.Shared is not null
                && refused.Errors[0].StartsWith(nameof(JoinError.NetworkError), StringComparison.Ordinal))
            {
                if (!await slot.Shared.ReportPortFailureAsync(ct))
                {
                    throw;
                }
            }
        }
    }

    private static RequestJoinGame BuildJoinRequest(MatchSettings settings, PlayerSlot slot)
    {
        var join = new RequestJoinGame { Options = settings.Interface };
        if (settings.HasAgents)
        {
            join.Race = settings.Players[settings.Sides[slot.Side]].Race;
            slot.Shared?.SetPorts(join);
        }
        else
        {
            join.ObservedPlayerId = settings.Observe;
        }

        return join;
    }

    // A participant chooses its race when it joins, so its setup has no race.
    private static PlayerSetup ToSetup(PlayerSpec player)
    {
        if (player.Kind != V1.PlayerKind.Computer)
        {
            return new PlayerSetup { Type = PlayerType.Participant };
        }

        var setup = new PlayerSetup
        {
            Type = PlayerType.Computer,
            Race = player.Race,
            Difficulty = player.Difficulty,
        };
        if (player.Build is { } build)
        {
            setup.AiBuild = build;
        }

        return setup;
    }

    // Searches in this order: the path of a file, a file in the game's folder of maps, a map that the game lists.
    private static async Task SetMapAsync(
        RequestCreateGame create, GameClient client, string map, Installation? installation, CancellationToken ct)
    {
        if (map.EndsWith(MapNames.Extension, StringComparison.OrdinalIgnoreCase) && File.Exists(map))
        {
            create.LocalMap = new LocalMap { MapPath = Path.GetFullPath(map) };
            return;
        }

        string[] installed = installation?.MapFolder is { } folder
            ? [.. new SystemEnvironment().FilesBelow(folder, MapNames.Extension).Order(StringComparer.Ordinal)]
            : [];
        if (MapName.Find(map, installed) is { } path)
        {
            create.LocalMap = new LocalMap { MapPath = path };
            return;
        }

        var listed =
            (await client.SendAsync(new Request { AvailableMaps = new RequestAvailableMaps() }, ct)).AvailableMaps;
        if (MapName.Find(map, listed.LocalMapPaths) is { } local)
        {
            create.LocalMap = new LocalMap { MapPath = local };
        }
        else if (MapName.Find(map, listed.BattlenetMapNames) is { } name)
        {
            create.BattlenetMapName = name;
        }
        else
        {
            throw MapNames.Unknown(map, [.. installed, .. listed.LocalMapPaths, .. listed.BattlenetMapNames]);
        }
    }

    // With two sides, the game numbers the players in the order of the request. If a single player joins, the game chooses
    // the player's number, and the computers get the other numbers in order.
    private static IEnumerable<(uint Id, PlayerSpec Player)> NumberedPlayers(MatchSettings settings, uint joined)
    {
        if (settings.Sides.Count > 1)
        {
            return settings.Players.Select((player, index) => ((uint)index + 1, player));
        }

        var free = new Queue<uint>(
            Enumerable.Range(1, settings.Players.Count + 1).Select(id => (uint)id)
                .Where(id => !settings.HasAgents || id != joined));
        return settings.Players
            .Select(player => (Id: player.Kind != V1.PlayerKind.Computer ? joined : free.Dequeue(), Player: player))
            .OrderBy(player => player.Id);
    }
}
