using System.Text.Json;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator;

/// <summary>Reads a scenario's file.</summary>
internal static class ScenarioReader
{
    private const int MostUnits = 100; // of a group
    private const int MostGroups = 20; // of an owner
    private const string AnUnit = "a unit type's name in the game's data, such as Marine";

    private static readonly JsonDocumentOptions Options = new()
    {
        AllowDuplicateProperties = false,
        AllowTrailingCommas = true,
        CommentHandling = JsonCommentHandling.Skip,
        MaxDepth = 8,
    };

    /// <summary>Reads a file and creates its map.</summary>
    /// <param name="file">The file's bytes, which are not trusted.</param>
    /// <param name="path">The file's path.</param>
    /// <exception cref="FormatException">It is not a valid scenario. The message has the remedy.</exception>
    public static GameMap Read(ByteString file, string path)
    {
        if (file.Length > Scenario.LongestFile)
        {
            throw new FormatException($"it has {file.Length:N0} bytes: write {Scenario.LongestFile:N0} at most");
        }

        try
        {
            using var document = JsonDocument.Parse(file.Memory, Options);
            var root = new ScenarioField(document.RootElement, "");
            return Read(root, file, System.IO.Path.GetFileNameWithoutExtension(GamePath.NameOf(path)));
        }
        catch (JsonException error)
        {
            var line = error.LineNumber is { } number ? $" in line {number + 1}" : "";
            var why = ScenarioField.Shown(error.Message.Split(" LineNumber")[0].TrimEnd('.'));
            throw new FormatException($"it is not JSON{line}: {why}", error);
        }
        catch (InvalidOperationException error)
        {
            throw new FormatException("it is not JSON: a text has an escape that is not a character", error);
        }
    }

    private static GameMap Read(ScenarioField root, ByteString file, string name)
    {
        var map = root.With("map", "limit", "reveal", "players", "neutral", "goal", "positions")["map"];
        var rows = map.Value.ValueKind == JsonValueKind.Array ? DrawnMap.Rows(map) : null;
        var known = MapSketches.All.Where(m => m.Melee).ToArray();
        var names = string.Join(", ", known.Select(m => m.Name));
        var sketch = (rows is not null
            ? DrawnMap.Sketch(rows)
            : map.Named(known, m => m.Name, $"a map's name ({names}), its width and height, or its rows")) with
        {
            Name = name,
        };
        var players = new List<ScenarioPlayer>();
        foreach (var player in root["players"].Items(1, sketch.Images, "players"))
        {
            players.Add(Player(player, sketch, players.FirstOrDefault()));
        }

        var scenario = new Scenario
        {
            Name = name,
            File = file,
            Players = players,
            Neutral = Groups(root["neutral"], sketch, 0),
            Limit = root["limit"].Whole(1, GameWorld.LastLoop, GameWorld.LastLoop),
            Reveal = root["reveal"].Yes(),
            Positions = root["positions"].IsGiven ? ReadPositions(root["positions"], players) : [],
            Goal = root["goal"].IsGiven ? ReadGoal(root["goal"], sketch, players.Count) : null,
        };
        var made = rows is null ? new Terrain(sketch).Make(scenario) : DrawnMap.Make(sketch, rows, scenario);
        Try(made, root);
        return made;
    }

    private static ScenarioPlayer Player(ScenarioField player, MapSketch map, ScenarioPlayer? first)
    {
        var mirror = player.With("race", "start", "units", "mirror", "passive", "upgrades")["mirror"];
        if (mirror.Yes() && first is null)
        {
            throw mirror.Wrong("it for another player, whose units mirror the first one's");
        }

        var units = Groups(player["units"], map, mirror.Yes() ? 0 : 1);
        return new ScenarioPlayer(
            player["race"].Named([Race.Terran, Race.Zerg, Race.Protoss], race => race.ToString(), "Terran, Zerg or Protoss"),
            player["start"].IsGiven ? player["start"].Place(map)
                : mirror.Yes() ? (ScenarioSetup.MirrorOf(map.Width, first!.Start.X), first.Start.Y)
                : units[0].At,
            units,
            mirror.Yes(),
            player["passive"].Yes(),
            [.. player["upgrades"].Items(0, TechTree.Upgrades.Length, "upgrades").Select(upgrade =>
                upgrade.Named(TechTree.Upgrades, u => u.Name, "an upgrade's name in the game's data, such as Stimpack").Id)]);
    }

    private static UnitGroup[] Groups(ScenarioField groups, MapSketch map, int least) =>
        [.. groups.Items(least, MostGroups, "groups of units").Select(group => Group(group, map))];

    private static UnitGroup Group(ScenarioField group, MapSketch map)
    {
        var types = Types(group.With("type", "count", "at", "spread", "except")["type"]);
        var except = group["except"];
        UnitType[] excepted = [.. except.Items(0, types.Length, "unit types").Select(one =>
            one.Named(types, t => t.Type.Name, "a unit type that the group may have").Type)];
        return types.All(t => excepted.Contains(t.Type))
            ? throw except.Wrong("fewer unit types than the group may have")
            : new UnitGroup(
                types,
                group["count"].Whole(1, MostUnits, 1),
                group["at"].Place(map),
                group["spread"].Cells(map.Width, needed: false),
                excepted);
    }

    private static (Positions, int)[] ReadPositions(ScenarioField positions, List<ScenarioPlayer> players)
    {
        if (players.Count != 2 || !players[1].Mirror)
        {
            throw positions.Wrong("it only if there are two players and the second mirrors the first");
        }

        var weights = positions.With("reflect", "surrounded");
        (Positions, int Weight)[] read =
        [
            (Positions.Reflect, weights["reflect"].Whole(0, 1000, 0)),
            (Positions.Surrounded, weights["surrounded"].Whole(0, 1000, 0)),
        ];
        return read.Sum(each => each.Weight) > 0 ? read : throw positions.Wrong("a weight of 1 or more");
    }

    // The value is a name, or an object of names and weights.
    private static (UnitType Type, int Weight)[] Types(ScenarioField type)
    {
        if (type.Value.ValueKind != JsonValueKind.Object)
        {
            return [(type.Named(TechTree.Units, u => u.Name, AnUnit), 1)];
        }

        (UnitType, int)[] types = [.. type.Value.EnumerateObject().Select(one =>
            (TechTree.Units.FirstOrDefault(u => u.Name.Equals(one.Name, StringComparison.OrdinalIgnoreCase))
                ?? throw type[one.Name].Wrong($"its weight after {AnUnit}"), type[one.Name].Whole(1, 1000)))];
        return types.Length > 0 ? types : throw type.Wrong($"{AnUnit}, followed by its weight");
    }

    private static Goal ReadGoal(ScenarioField goal, MapSketch map, int players) => new(
        goal.With("player", "at", "radius")["player"].Whole(1, players),
        goal["at"].Place(map),
        goal["radius"].Cells(map.Width));

    // A scenario is invalid if its units do not fit on the map.
    private static void Try(GameMap map, ScenarioField root)
    {
        var scenario = map.Scenario!;
        var specs = scenario.Players.Select(p =>
            new PlayerSpec(PlayerType.Computer, p.Race, Difficulty.VeryEasy, AIBuild.RandomBuild, ""));
        var world = new GameWorld(map, [.. specs], seed: 1);
        Check(root["neutral"], GameWorld.Neutral, map.Neutrals.Length + Sum(scenario.Neutral));
        foreach (var (i, player) in root["players"].Items(1, scenario.Players.Count, "players").Index())
        {
            var mirrored = scenario.Players[i].Mirror ? Sum(scenario.Players[0].Units) : 0;
            Check(player["units"], i + 1, Sum(scenario.Players[i].Units) + mirrored);
        }

        void Check(ScenarioField units, int owner, int wanted)
        {
            var without = wanted - world.Units.Count(unit => unit.Owner == owner);
            if (without > 0)
            {
                throw units.Wrong($"places on open ground: there is no room for {without} of the units");
            }
        }
    }

    private static int Sum(IReadOnlyList<UnitGroup> groups) => groups.Sum(group => group.Count);
}
