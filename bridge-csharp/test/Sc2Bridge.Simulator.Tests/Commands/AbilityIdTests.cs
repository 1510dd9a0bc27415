using System.Globalization;
using System.IO.Compression;
using System.Text.RegularExpressions;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Commands;

/// <summary>The ids of abilities in game data 5.0.14, and the ids of earlier builds.</summary>
public sealed partial class AbilityIdTests
{
    private const string Client = "wheels/burnysc2-7.3.0-py3-none-any.whl";

    /// <summary>
    /// Present: burnysc2 7.3.0, sc2/dicts/unit_abilities.py:139, 555, 1050 and 1323, with sc2/ids/ability_id.py:1380-1387; Sharky
    /// 7232feb, Sharky/S2ClientTypeEnums/Abilities.cs:415 (4121). Former: cpp-sc2 71510f6, src/sc2api/typeids (80, 4119, 4109,
    /// 4111); Sharky, SalvageMainBunkerTask.cs:38 (32).
    /// </summary>
    [Theory]
    [InlineData(105, 4121, 4121)]
    [InlineData(105, 80, 4121)]
    [InlineData(105, 4119, 4121)]
    [InlineData(24, 4128, 4128)]
    [InlineData(24, 32, 4128)]
    [InlineData(1910, 4113, 4113)]
    [InlineData(1910, 4111, 4113)]
    [InlineData(111, 4111, 4111)]
    [InlineData(111, 4109, 4111)]
    public void A_unit_has_the_present_id_and_takes_former_ids(int type, int asked, int own)
    {
        var arena = new Arena();
        var unit = arena.Add(type, 1, 40, 40);
        var found = UnitAbilities.Resolve(arena.World.Players[0], unit, TechTree.FindAbility(asked)!);
        Assert.Equal(own, found?.Ability.Id);
    }

    [Fact]
    public void A_zergling_becomes_a_baneling_by_the_present_id()
    {
        var game = new TestWorld(Race.Zerg).Rich();
        game.Put(96);
        var zergling = game.World.Add(TechTree.Unit(105), 1, game.Start.X, game.Start.Y - (6 * Geometry.Cell));
        Assert.Contains(AvailableAbilities.Of(game.World, zergling, false), a => a.AbilityId == 4121);
        Assert.Equal(4121, TechTree.Unit(9).MadeBy?.Id);
        Assert.Equal(ActionResult.Success, game.Order(zergling, 80));
        Assert.Equal((8, 4121), (zergling.Type.Id, zergling.Change!.Ability.Id));
        Assert.Contains(AvailableAbilities.Of(game.World, zergling, false), a => a.AbilityId == 4122);
        game.Step(320);
        Assert.Equal(9, zergling.Type.Id);
    }

    [Fact]
    public void A_battery_recharges_a_unit_on_command()
    {
        var arena = new Arena(first: Race.Protoss);
        arena.Add(60, 1, 40, 40);
        var battery = arena.Add(1910, 1, 43, 40);
        var (far, near) = (arena.Add(74, 1, 55, 40), arena.Add(74, 1, 46, 40));
        arena.Run(8);
        (far.Shield, near.Shield, far.LastHit, near.LastHit) = (0, 0, arena.World.Loop, arena.World.Loop);
        Assert.Equal(ActionResult.Success, Order(near));
        Assert.Equal(4113, battery.Order?.Ability.Id);
        arena.Run(40);
        Assert.Equal(80 * 256, near.Shield);
        Assert.Null(battery.Order);
        Assert.Equal(ActionResult.Success, Order(far));
        arena.Run(2);
        Assert.Equal(0, far.Shield);
        Assert.Null(battery.Order);

        ActionResult Order(Unit patient) => Commander.Order(
            arena.World, arena.World.Players[0], battery, TechTree.Ability(4113), CommandTarget.Of(patient));
    }

    /// <summary>burnysc2 7.3.0, sc2/dicts/generic_redirect_abilities.py.</summary>
    [Fact]
    [Trait("Needs", "real")]
    public void Every_ability_stands_for_the_general_one_that_python_sc2_knows()
    {
        using var wheel = new ZipArchive(new MemoryStream(SharedFolder.Read(Client)));
        var ids = Number().Matches(Text("sc2/ids/ability_id.py"))
            .ToDictionary(match => match.Groups[1].Value, match => int.Parse(match.Groups[2].ValueSpan, CultureInfo.InvariantCulture));
        var pairs = Pair().Matches(Text("sc2/dicts/generic_redirect_abilities.py"))
            .Select(match => (Own: ids[match.Groups[1].Value], General: ids[match.Groups[2].Value])).ToArray();
        Assert.InRange(pairs.Length, 260, 1000);
        var wrong = pairs.Where(pair => TechTree.FindAbility(pair.Own) is not { } ability || ability.Id != pair.Own
            || ability.RemapsTo != pair.General || TechTree.FindAbility(pair.General) is null);
        Assert.Empty(wrong);

        string Text(string name)
        {
            using var reader = new StreamReader(wheel.GetEntry(name)!.Open());
            return reader.ReadToEnd();
        }
    }

    [GeneratedRegex(@"^\s+(\w+) = (\d+)\r?$", RegexOptions.Multiline)]
    private static partial Regex Number();

    [GeneratedRegex(@"AbilityId\.(\w+): AbilityId\.(\w+)")]
    private static partial Regex Pair();
}
