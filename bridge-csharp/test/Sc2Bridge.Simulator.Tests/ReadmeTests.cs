using System.Reflection;
using System.Runtime.Loader;
using System.Text.RegularExpressions;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>
/// Follows "How to add" of the simulator's README: adds its four examples to the tables of a second copy of the simulated game,
/// and plays them.
/// </summary>
public sealed class ReadmeTests
{
    private const int Strider = 2000;
    private const int Overdrive = 4202;
    private const string Field = "Little Field LE";

    private static readonly string _folder =
        Path.Combine(PeerEnvironment.RepositoryRoot, "bridge-csharp", "src", "Sc2Bridge.Simulator");

    private static readonly Lazy<Assembly> _extended = new(Extend);

    [Fact]
    public void An_added_unit_is_in_the_data_is_trained_and_fights_with_its_figures()
    {
        var game = Join(Join(Race.Terran), Computer(Race.Zerg, AIBuild.RandomBuild, Difficulty.VeryEasy));
        var data = Ask(game, new Request { Data = new RequestData { UnitTypeId = true, AbilityId = true } }).Data;
        Assert.Equal(("Strider", 75u), (data.Units[Strider].Name, data.Units[Strider].MineralCost));
        Assert.Equal("Train Strider", data.Abilities[4201].FriendlyName);

        var barracks = Put(game, UnitId.Barracks);
        Give(game);
        Act(game, barracks, 4201);
        Step(game, 420);
        var strider = Assert.Single(Units(game, Strider));
        Assert.Equal((80f, 1), (strider.HealthMax, strider.Owner));

        // Splash damage: the first shots hurt both neighbours.
        var (x, y) = (strider.Pos.X, strider.Pos.Y);
        Debug(game, Create(UnitId.Zergling, 2, x + 4, y, 2));
        var wounded = false;
        for (var i = 0; i < 60 && !wounded; i++)
        {
            Step(game, 1);
            wounded = Units(game, UnitId.Zergling).Count(zergling => zergling.Health < zergling.HealthMax) == 2;
        }

        Assert.True(wounded);
    }

    [Fact]
    public void An_added_spell_works_for_its_time_and_then_has_to_wait()
    {
        var game = Join(Join(Race.Terran), Computer(Race.Zerg, AIBuild.RandomBuild, Difficulty.VeryEasy));
        var strider = Put(game, Strider);
        Assert.Contains(Overdrive, Abilities(game, strider));
        Act(game, strider, Overdrive);
        Step(game, 2);
        Assert.Contains((uint)BuffId.MedivacSpeedBoost, Find(game, strider).BuffIds);
        Assert.DoesNotContain(Overdrive, Abilities(game, strider));
        Step(game, 80);
        Assert.Empty(Find(game, strider).BuffIds);
        Step(game, 240);
        Assert.Contains(Overdrive, Abilities(game, strider));
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void An_added_plan_is_played_by_the_computers_that_it_is_for()
    {
        Assert.Equal([UnitId.Reaper], Army(AIBuild.Rush));
        Assert.Contains(UnitId.Marine, Army(AIBuild.Macro));

        IEnumerable<int> Army(AIBuild build)
        {
            var game = Join(Join(Race.Zerg), Computer(Race.Terran, build, Difficulty.VeryHard));
            Step(game, 6500);
            Debug(game, new DebugCommand { GameState = DebugGameState.ShowMap });
            Step(game, 8);
            var units = Observe(game).RawData.Units.Where(unit => unit.Owner == 2 && unit.BuildProgress == 1);
            return units.Select(unit => (int)unit.UnitType).Where(type => TechTree.Unit(type).Is(Kind.Army)).Distinct();
        }
    }

    [Fact]
    public void An_added_map_is_listed_found_by_its_name_and_played_on()
    {
        var game = NewGame();
        var maps = Ask(game, new Request { AvailableMaps = new RequestAvailableMaps() }).AvailableMaps;
        Assert.Contains(Field, maps.BattlenetMapNames);
        game = Join(Join(Race.Protoss), Computer(Race.Zerg, AIBuild.RandomBuild, Difficulty.Hard));
        var info = Ask(game, new Request { GameInfo = new RequestGameInfo() }).GameInfo;
        Assert.Equal((Field, 88, 1), (info.MapName, info.StartRaw.MapSize.X, info.StartRaw.StartLocations.Count));
        Step(game, 2000);
        var seen = Observe(game);
        Assert.Single(seen.RawData.Units, unit => unit.UnitType == UnitId.XelNagaTower);
        Assert.True(seen.PlayerCommon.Minerals > 500);
    }

    private static Assembly Extend()
    {
        var files = new Dictionary<string, string>();
        string Text(string file) =>
            files.GetValueOrDefault(file) ?? File.ReadAllText(Path.Combine(_folder, "Facts", file)).TrimEnd('\n') + "\n";
        foreach (Match block in Regex.Matches(
            File.ReadAllText(Path.Combine(_folder, "README.md")), "```(facts|plan|map)\n(.*?)```", RegexOptions.Singleline))
        {
            var lines = block.Groups[2].Value;
            switch (block.Groups[1].Value)
            {
                case "plan":
                    files["plans.txt"] = Text("plans.txt") + lines;
                    break;
                case "map":
                    // In first place: the order of maps has no meaning.
                    var sketches = Text("sketches.tsv");
                    var head = sketches.IndexOf("numbers\n", StringComparison.Ordinal) + "numbers\n".Length;
                    files["sketches.tsv"] = sketches[..head] + lines + sketches[head..];
                    break;
                default:
                    foreach (var line in lines.Split('\n', StringSplitOptions.RemoveEmptyEntries))
                    {
                        var words = line.Split(' ', 4, StringSplitOptions.RemoveEmptyEntries);
                        files[words[0]] = Change(Text(words[0]), words[1] == "like", words[2], words[3]);
                    }

                    break;
            }
        }

        Assert.Equal(["abilities.tsv", "plans.txt", "sketches.tsv", "spells.tsv", "units.tsv"], files.Keys.Order());
        var copy = new AssemblyLoadContext("extended").LoadFromAssemblyPath(typeof(SimulatedGame).Assembly.Location);
        var replaced = (Dictionary<string, string>)copy.GetType("Sc2Bridge.Simulator.Facts.FactTable", throwOnError: true)!
            .GetField("Replaced", BindingFlags.Static | BindingFlags.NonPublic)!.GetValue(null)!;
        foreach (var (file, text) in files)
        {
            replaced[Path.GetFileNameWithoutExtension(file)] = text;
        }

        return copy;
    }

    private static string Change(string table, bool copies, string id, string cells)
    {
        var lines = table.TrimEnd('\n').Split('\n').ToList();
        var columns = lines.First(line => line[0] != '#').Split('\t');
        var at = lines.FindIndex(line => line.StartsWith(id + "\t", StringComparison.Ordinal));
        Assert.True(at >= 0, $"no line {id}");
        var row = lines[at].Split('\t').ToList();
        row.AddRange(Enumerable.Repeat("", columns.Length - row.Count));
        foreach (Match cell in Regex.Matches(cells, "(\\w+)(\\+?)=(\"[^\"]*\"|\\S*)"))
        {
            var column = Array.IndexOf(columns, cell.Groups[1].Value);
            var value = cell.Groups[3].Value.Trim('"');
            row[column] = cell.Groups[2].Value == "+" ? $"{row[column]} {value}" : value;
        }

        if (copies)
        {
            lines.Add(string.Join('\t', row));
        }
        else
        {
            lines[at] = string.Join('\t', row);
        }

        return string.Join('\n', lines) + "\n";
    }

    private static object NewGame()
    {
        var options = Activator.CreateInstance(_extended.Value.GetType(typeof(SimulatorOptions).FullName!)!);
        return Activator.CreateInstance(_extended.Value.GetType(typeof(SimulatedGame).FullName!)!, options)!;
    }

    private static Response Ask(object game, Request request) =>
        (Response)game.GetType().GetMethod(nameof(SimulatedGame.Handle), [typeof(Request)])!.Invoke(game, [request])!;

    private static PlayerSetup Computer(Race race, AIBuild build, Difficulty difficulty) =>
        new() { Type = PlayerType.Computer, Race = race, AiBuild = build, Difficulty = difficulty };

    private static RequestJoinGame Join(Race race) => new() { Race = race, Options = new InterfaceOptions { Raw = true } };

    private static object Join(RequestJoinGame join, PlayerSetup computer)
    {
        var game = NewGame();
        var create = new RequestCreateGame { LocalMap = new LocalMap { MapPath = Field }, RandomSeed = 1 };
        create.PlayerSetup.Add(new PlayerSetup { Type = PlayerType.Participant });
        create.PlayerSetup.Add(computer);
        Assert.False(Ask(game, new Request { CreateGame = create }).CreateGame.HasError);
        Assert.False(Ask(game, new Request { JoinGame = join }).JoinGame.HasError);
        return game;
    }

    private static void Step(object game, uint count) =>
        Ask(game, new Request { Step = new RequestStep { Count = count } });

    private static Observation Observe(object game) =>
        Ask(game, new Request { Observation = new RequestObservation() }).Observation.Observation;

    private static SC2APIProtocol.Unit[] Units(object game, int type) =>
        [.. Observe(game).RawData.Units.Where(unit => unit.UnitType == type)];

    private static SC2APIProtocol.Unit Find(object game, ulong tag) =>
        Observe(game).RawData.Units.Single(unit => unit.Tag == tag);

    private static DebugCommand Create(uint type, int owner, float x, float y, uint count) => new()
    {
        CreateUnit = new DebugCreateUnit
        {
            UnitType = type,
            Owner = owner,
            Pos = new Point2D { X = x, Y = y },
            Quantity = count,
        },
    };

    private static void Debug(object game, DebugCommand command)
    {
        var request = new RequestDebug();
        request.Debug.Add(command);
        Ask(game, new Request { Debug = request });
    }

    private static void Give(object game)
    {
        Debug(game, new DebugCommand { GameState = DebugGameState.AllResources });
        Step(game, 1);
    }

    // Creates a unit of the first player near its start.
    private static ulong Put(object game, int type)
    {
        var hall = Observe(game).RawData.Units.First(unit => unit.Owner == 1 && TechTree.FindUnit((int)unit.UnitType)?.Is(Kind.TownHall) == true);
        Debug(game, Create((uint)type, 1, hall.Pos.X + 12, hall.Pos.Y + 8, 1));
        Step(game, 2);
        return Units(game, type)[0].Tag;
    }

    private static void Act(object game, ulong unit, int ability)
    {
        var action = new SC2APIProtocol.Action
        {
            ActionRaw = new ActionRaw { UnitCommand = new ActionRawUnitCommand { AbilityId = ability } },
        };
        action.ActionRaw.UnitCommand.UnitTags.Add(unit);
        var request = new RequestAction();
        request.Actions.Add(action);
        var response = Ask(game, new Request { Action = request });
        Assert.Equal(ActionResult.Success, Assert.Single(response.Action.Result));
    }

    private static int[] Abilities(object game, ulong unit)
    {
        var query = new RequestQuery();
        query.Abilities.Add(new RequestQueryAvailableAbilities { UnitTag = unit });
        var response = Ask(game, new Request { Query = query });
        return [.. response.Query.Abilities[0].Abilities.Select(ability => ability.AbilityId)];
    }
}
