using System.Text;
using System.Text.Json.Nodes;

namespace Sc2Bridge.Simulator.Tests.Scenarios;

/// <summary>The valid content of a scenario's file, and the one-line errors for invalid content.</summary>
public sealed class ScenarioReaderTests
{
    private static readonly string Whole = File.ReadAllText(Arenas.Files.First(file => file.EndsWith("2s3z.json", StringComparison.Ordinal)));

    [Theory]
    [InlineData("map", "3", "map 3: write a map's name (Cinder Fortress LE, ")]
    [InlineData("map", "\"Nowhere\"", "map \"Nowhere\": write a map's name")]
    [InlineData("map", "[32]", "map [32]: write a list of 2 numbers: width and height in cells")]
    [InlineData("map", "[32, 12]", "map[1] 12: write a whole number from 16 to 256")]
    [InlineData("map", "[33, 32]", "map[0] 33: write a multiple of 8")]
    [InlineData("map", "[\"..\"]", "map [\"..\"]: write a list of 16 to 256 rows")]
    [InlineData("limit", "0", "limit 0: write a whole number from 1 to 524288")]
    [InlineData("reveal", "1", "reveal 1: write true or false")]
    [InlineData("players", "[]", "players []: write a list of 1 to 4 players")]
    [InlineData("players.0", "7", "players[0] 7: write an object of race, start, units, mirror, passive, upgrades")]
    [InlineData("players.0.race", "\"Orc\"", "players[0].race \"Orc\": write Terran, Zerg or Protoss")]
    [InlineData("players.0.race", null, "players[0].race is missing: write Terran, Zerg or Protoss")]
    [InlineData("players.0.units", "[]", "players[0].units []: write a list of 1 to 20 groups of units")]
    [InlineData("players.0.mirror", "true", "players[0].mirror true: write it for another player")]
    [InlineData("players.1.units.0.type", "\"Stalkr\"", "players[1].units[0].type \"Stalkr\": write a unit type's name")]
    [InlineData("players.1.units.0.type", "{\"Stalkr\": 1}", "players[1].units[0].type.Stalkr 1: write its weight after a unit type's name")]
    [InlineData("players.1.units.0.type", "{}", "players[1].units[0].type {}: write a unit type's name")]
    [InlineData("players.1.units.0.count", "1.5", "players[1].units[0].count 1.5: write a whole number from 1 to 100")]
    [InlineData("players.1.units.0.at", "[40, 3]", "players[1].units[0].at[0] 40: write a number of cells, 0 to 32")]
    [InlineData("players.1.units.0.at", "[0.5, 0.5]", null)]
    [InlineData("players.1.units.0.colour", "3", "players[1].units[0].colour 3: write an object of type, count, at, spread")]
    [InlineData("players.1.upgrades", "[\"Stim\"]", "players[1].upgrades[0] \"Stim\": write an upgrade's name")]
    [InlineData("players.1.units.0.except", "[\"Marine\"]", "players[1].units[0].except[0] \"Marine\": write a unit type that the group may have")]
    [InlineData("players.1.units.0.except", "[\"Stalker\"]", "players[1].units[0].except [\"Stalker\"]: write fewer unit types than")]
    [InlineData("positions", "{ \"reflect\": 1 }", "positions {\"reflect\":1}: write it only if there are two players")]
    [InlineData("goal", "{ \"player\": 3 }", "goal.player 3: write a whole number from 1 to 2")]
    [InlineData("neutral", "[{ \"type\": \"Nexus\", \"count\": 100, \"at\": [16, 16] }]", "neutral [{\"type\":\"Nexus\"")]
    public void Faults_are_named_with_their_place_and_what_to_write(string field, string? value, string? error)
    {
        var root = JsonNode.Parse(Whole)!;
        var names = field.Split('.');
        var at = names[..^1].Aggregate(root, (node, name) => int.TryParse(name, out var i) ? node[i]! : node[name]!);
        if (int.TryParse(names[^1], out var index))
        {
            at[index] = JsonNode.Parse(value!);
        }
        else if (value is null)
        {
            at.AsObject().Remove(names[^1]);
        }
        else
        {
            at[names[^1]] = JsonNode.Parse(value);
        }

        var json = Encoding.UTF8.GetBytes(root.ToJsonString());
        if (error is null)
        {
            Assert.Equal("fight", Scenario.Read(json, "folder/fight.json").Name);
        }
        else
        {
            Assert.StartsWith(error, Assert.Throws<FormatException>(() => Scenario.Read(json, "fight.json")).Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("", "it is not JSON in line 1: ")]
    [InlineData("{\n  \"map\": [32, 32],\n  oops", "it is not JSON in line 3: ")]
    [InlineData("{ \"limit\": 1, \"limit\": 2 }", "it is not JSON: Duplicate property 'limit'")]
    [InlineData("{ \"map\": \"\\ud800\" }", "it is not JSON: a text has an escape that is not a character")]
    [InlineData("[]", "[]: write an object of map, limit, reveal, players, neutral, goal")]
    public void What_is_no_scenario_at_all_is_said(string text, string error) => Assert.StartsWith(
        error, Assert.Throws<FormatException>(() => Scenario.Read(Encoding.UTF8.GetBytes(text), "a")).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("\"reflect\"", "positions \"reflect\": write an object of reflect, surrounded")]
    [InlineData("{ \"mirrored\": 1 }", "positions.mirrored 1: write an object of reflect, surrounded")]
    [InlineData("{ \"reflect\": 1.5 }", "positions.reflect 1.5: write a whole number from 0 to 1000")]
    [InlineData("{ \"reflect\": 0 }", "positions {\"reflect\":0}: write a weight of 1 or more")]
    public void Wrong_positions_are_named(string positions, string error)
    {
        var root = JsonNode.Parse(File.ReadAllText(Arenas.Files.First(file => file.EndsWith("10gen_zerg.json", StringComparison.Ordinal))),
            documentOptions: new() { CommentHandling = System.Text.Json.JsonCommentHandling.Skip })!;
        root["positions"] = JsonNode.Parse(positions);
        var json = Encoding.UTF8.GetBytes(root.ToJsonString());
        Assert.StartsWith(
            error, Assert.Throws<FormatException>(() => Scenario.Read(json, "fight.json")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Units_that_find_no_room_are_refused()
    {
        var rows = string.Join(",", Enumerable.Range(0, 16).Select(y => y is 7 or 8 ? "\"#######..#######\"" : "\"################\""));
        var json = $$"""{ "map": [{{rows}}], "players": [{ "race": "Terran", "units": [{ "type": "Thor", "count": 30, "at": [8, 8] }] }] }""";
        Assert.Contains(
            "places on open ground: ",
            Assert.Throws<FormatException>(() => Scenario.Read(Encoding.UTF8.GetBytes(json), "a")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_scenario_of_the_repository_is_part_of_the_program_under_its_name()
    {
        Assert.Equal(Arenas.Files.Select(Path.GetFileNameWithoutExtension), Scenario.Names);
        foreach (var file in Arenas.Files)
        {
            var found = Scenario.Find(Path.GetFileNameWithoutExtension(file));
            Assert.Equal(Path.GetFileNameWithoutExtension(file), found?.Name);
            Assert.Equal(File.ReadAllBytes(file), found?.File.ToByteArray());
        }

        Assert.Null(Scenario.Find("4m"));
    }

    [Fact]
    public void A_file_that_is_too_long_is_refused() => Assert.Contains(
        "write 262,144 at most", Assert.Throws<FormatException>(() => Scenario.Read(new byte[300_000], "a")).Message, StringComparison.Ordinal);

    // Each changed file is read, or refused with one line. Every file that is read can be played.
    [Fact]
    public void Any_change_of_a_file_is_taken_or_refused_in_one_line()
    {
        var random = new Random(19);
        var taken = 0;
        foreach (var file in Arenas.Files.Select(File.ReadAllText))
        {
            for (var change = 0; change < 60; change++)
            {
                var text = file.ToCharArray();
                for (var changes = random.Next(1, 4); changes > 0; changes--)
                {
                    text[random.Next(text.Length)] = "0123456789-.#~\"[]{},:aeT "[random.Next(25)];
                }

                var json = new string(text);
                try
                {
                    var players = Scenario.Read(Encoding.UTF8.GetBytes(json), "changed.json").Races.Count;
                    Game.Joined(Arenas.Create(json, players: players), Game.Join()).Step(20);
                    taken++;
                }
                catch (FormatException refused)
                {
                    Assert.DoesNotContain('\n', refused.Message);
                    Assert.InRange(refused.Message.Length, 10, 300);
                }
            }
        }

        Assert.InRange(taken, 20, Arenas.Files.Count * 58);
    }
}
