using System.Collections;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Sc2Bridge.Simulator.Api;

namespace Sc2Bridge.Simulator.Tests.Api;

public sealed class GameDataTests
{
    private static readonly RequestData Everything = new()
    {
        AbilityId = true,
        UnitTypeId = true,
        UpgradeId = true,
        BuffId = true,
        EffectId = true,
    };

    // The real message is from a build before 5.0.14. From this id on, the same abilities have other numbers.
    private const int Later = 4109;
    private const int Baneling = 9;

    [Fact]
    public void A_place_in_a_table_is_the_id()
    {
        var data = GameDataMaker.Make(Everything);
        Assert.All(data.Abilities.Select((a, i) => (a.AbilityId, i)), p => Assert.Equal((uint)p.i, p.AbilityId));
        Assert.All(data.Units.Select((u, i) => (u.UnitId, i)), p => Assert.Equal((uint)p.i, p.UnitId));
        Assert.All(data.Upgrades.Select((u, i) => (u.UpgradeId, i)), p => Assert.Equal((uint)p.i, p.UpgradeId));
        Assert.Empty(GameDataMaker.Make(new RequestData { UnitTypeId = true }).Abilities);
    }

    [Fact]
    [Trait("Needs", "real")]
    public void Every_fact_is_the_games_own()
    {
        var real = Response.Parser.ParseFrom(SharedFolder.Read("data/real/data.pb")).Data;
        var ours = GameDataMaker.Make(Everything);
        var wrong = new List<string>();
        var (before, later) = (TechTree.Abilities.Where(a => a.Id < Later), TechTree.Abilities.Where(a => a.Id >= Later));
        Compare("ability", before.Select(a => a.Id), ours.Abilities, real.Abilities, wrong);
        foreach (var ability in later)
        {
            if (real.Abilities.FirstOrDefault(a => a.LinkName == ability.Link && a.LinkIndex == ability.Index) is { } known)
            {
                Compare($"ability {ability.Id}", ours.Abilities[ability.Id], new AbilityData(known) { AbilityId = (uint)ability.Id }, wrong);
            }
        }

        // Since then, another ability makes banelings.
        real.Units[Baneling].AbilityId = ours.Units[Baneling].AbilityId;
        Compare("unit", TechTree.Units.Select(u => u.Id), ours.Units, real.Units, wrong);
        Compare("upgrade", TechTree.Upgrades.Select(u => u.Id), ours.Upgrades, real.Upgrades, wrong);
        Compare("buff", TechTree.Buffs.Select(b => b.Id), ours.Buffs, real.Buffs, wrong);
        Compare("effect", TechTree.Effects.Select(e => e.Id), ours.Effects, real.Effects, wrong);
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    private static void Compare<T>(
        string what, IEnumerable<int> ids, IReadOnlyList<T> ours, IReadOnlyList<T> real, List<string> wrong)
        where T : IMessage
    {
        foreach (var id in ids)
        {
            Compare($"{what} {id}", ours[id], real[id], wrong);
        }
    }

    // Compares field by field. A missing field counts as its default. Lengths and times may differ by one unit of the tables.
    private static void Compare(string what, IMessage ours, IMessage real, List<string> wrong)
    {
        foreach (var field in ours.Descriptor.Fields.InFieldNumberOrder())
        {
            var (one, other) = (field.Accessor.GetValue(ours), field.Accessor.GetValue(real));
            var same = field.FieldType == FieldType.Float
                ? Math.Abs((float)one - (float)other) < 0.003
                : field.IsRepeated ? Same(what, (IList)one, (IList)other, wrong)
                : Equals(one, other);
            if (!same)
            {
                wrong.Add($"{what}: {field.Name} is {one}, the game's is {other}");
            }
        }
    }

    private static bool Same(string what, IList ours, IList real, List<string> wrong)
    {
        for (var i = 0; i < Math.Min(ours.Count, real.Count); i++)
        {
            if (ours[i] is IMessage message)
            {
                Compare($"{what}[{i}]", message, (IMessage)real[i]!, wrong);
            }
            else if (!Equals(ours[i], real[i]))
            {
                return false;
            }
        }

        return ours.Count == real.Count;
    }
}
