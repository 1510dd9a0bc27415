using Google.Protobuf;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Tests.World;
using PlayerSpec = Sc2Bridge.Simulator.World.PlayerSpec;

namespace Sc2Bridge.Simulator.Tests.Observing;

/// <summary>Observations compared with the real game's: the same fields are present, and values that must be equal are equal.</summary>
[Trait("ThirdParty", "real messages")]
[Trait("Needs", "real")]
public sealed class RealMessageTests
{
    // At loop 0, one player, Terran; the raw and score interfaces.
    private static readonly Lazy<ResponseObservation[]> _begun = new(() => [.. Real("observation.pb")
        .Where(o => o.Observation.GameLoop <= 1 && o.Observation.FeatureLayerData is null)]);

    // In the middle of a Protoss' opening, from a build without some newer fields.
    private static readonly Lazy<ResponseObservation> _older = new(() =>
        ResponseObservation.Parser.ParseFrom(SharedFolder.Read("data/real/feature_layers.observation.pb")));

    private static readonly string[] _newer =
        ["is_active", "attack_upgrade_level", "armor_upgrade_level", "shield_upgrade_level", "rally_targets"];

    public static TheoryData<string> Maps => [.. GameMap.All.Select(m => m.Name)];

    [Theory]
    [MemberData(nameof(Maps))]
    public void The_same_fields_are_present_of_each_kind_of_unit(string map)
    {
        var ours = Begin(map, Race.Terran).Observation.RawData.Units;
        var wrong = new List<string>();
        foreach (var group in ours.GroupBy(KindOf))
        {
            var expected = _begun.Value.SelectMany(o => o.Observation.RawData.Units)
                .Where(u => KindOf(u) == group.Key).Select(Fields).Distinct().ToArray();
            Assert.True(expected.Length <= 1, $"{group.Key}: real messages differ");
            var found = group.Select(Fields).Distinct().ToArray();
            if (expected.Length == 1 && (found.Length != 1 || found[0] != expected[0]))
            {
                wrong.Add($"{group.Key}:\n  game {expected[0]}\n  ours {string.Join("\n       ", found)}");
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        Assert.Equal(
            ["1 Neutral Geyser", "1 Neutral Minerals", "1 Self TownHall", "1 Self Worker", "2 Neutral Minerals"],
            ours.Select(KindOf).Distinct().Where(k => !k.EndsWith("None", StringComparison.Ordinal)
                && !k.StartsWith("2 Neutral Geyser", StringComparison.Ordinal)).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void The_same_fields_are_present_of_a_Protoss_in_its_opening()
    {
        var game = new TestWorld(Race.Protoss);
        game.Put(60);
        game.Order(game.Hall, 1006);
        Assert.True(game.StepUntil(() => game.Count(84) > 12, 400));
        Assert.True(game.StepUntil(
            () => game.World.Units.Any(u => u.Owner == 1 && u.Load == Sc2Bridge.Simulator.World.Load.Minerals), 400));
        var ours = game.World.By(1).Observation.RawData.Units.Where(u => u.Alliance == Alliance.Self)
            .ToLookup(u => (u.UnitType, Loaded(u)));
        foreach (var theirs in _older.Value.Observation.RawData.Units.Where(u => u.Alliance == Alliance.Self))
        {
            var twin = ours[(theirs.UnitType, Loaded(theirs))].FirstOrDefault();
            Assert.True(twin is not null, $"there is no {theirs.UnitType}, loaded {Loaded(theirs)}");
            var kept = Seen.Fields(twin).Except(_newer);
            Assert.Equal(Seen.Fields(theirs).Except(["orders", "buff_ids"]), kept.Except(["orders", "buff_ids"]));
        }
    }

    [Theory]
    [MemberData(nameof(Maps))]
    public void The_same_fields_are_present_of_everything_else(string map)
    {
        var ours = Begin(map, Race.Terran);
        foreach (var real in _begun.Value)
        {
            Assert.Equal(Seen.Fields(real).Except(["actions"]), Seen.Fields(ours));
            var (theirs, own) = (real.Observation, ours.Observation);
            Assert.Equal(Seen.Fields(theirs), Seen.Fields(own));
            Assert.Equal(Seen.Fields(theirs.PlayerCommon), Seen.Fields(own.PlayerCommon));
            Assert.Equal(theirs.PlayerCommon, own.PlayerCommon);
            Assert.Equal(theirs.Score, own.Score);
            Assert.Equal(Seen.Fields(theirs.RawData), Seen.Fields(own.RawData));
            Assert.Equal(Seen.Fields(theirs.RawData.Player), Seen.Fields(own.RawData.Player));
            Image(theirs.RawData.MapState.Visibility, own.RawData.MapState.Visibility, 8);
            Image(theirs.RawData.MapState.Creep, own.RawData.MapState.Creep, 1);
        }
    }

    [Fact]
    public void The_bytes_of_a_unit_come_in_the_order_of_their_numbers_as_the_games_do()
    {
        var ours = Begin(Game.Map, Race.Terran);
        Assert.Equal(ours.ToByteArray(), Bytes(Game.Map, Race.Terran));
        Assert.All(_begun.Value, real => Assert.Equal(
            real.CalculateSize(), ResponseObservation.Parser.ParseFrom(real.ToByteArray()).CalculateSize()));
    }

    [Theory]
    [MemberData(nameof(Maps))]
    public void A_start_looks_the_same(string map)
    {
        var ours = Begin(map, Race.Terran).Observation.RawData;
        var cells = ours.MapState.Visibility.Data.Count(cell => cell == Vision.Visible);
        Assert.InRange(cells, 443, 446);
        Assert.All(_begun.Value, real =>
            Assert.InRange(real.Observation.RawData.MapState.Visibility.Data.Count(c => c == 2), 443, 446));
        foreach (var raw in _begun.Value.Select(real => real.Observation.RawData).Append(ours))
        {
            var hall = raw.Units.Single(u => u.Alliance == Alliance.Self && u.UnitType == 18);
            var workers = raw.Units.Where(u => u.UnitType == 45).ToArray();
            Assert.Equal((12, 16), (hall.AssignedHarvesters, hall.IdealHarvesters));
            Assert.Equal((1500f, 1500f, 2.75f), (hall.Health, hall.HealthMax, hall.Radius));
            Assert.Equal(5 * MathF.PI / 4, hall.Facing, 0.01);
            var rally = Assert.Single(hall.RallyTargets);
            var field = raw.Units.Single(u => u.Tag == rally.Tag);
            Assert.Equal((field.Pos.X, field.Pos.Y), (rally.Point.X, rally.Point.Y));
            Assert.True(field.HasMineralContents);
            Assert.Equal(12, workers.Length);
            Assert.All(workers, w => Assert.Equal((45f, 0.375f, 295u, rally.Tag), (
                w.HealthMax, w.Radius, w.Orders.Single().AbilityId, w.Orders.Single().TargetUnitTag)));
            Assert.Equal(workers.Average(w => w.Pos.X), raw.Player.Camera.X, 0.01);
            Assert.Equal(workers.Average(w => w.Pos.Y), raw.Player.Camera.Y, 0.01);
            Assert.All([hall, .. workers], u => Assert.True(u.IsOnScreen));
            var fields = raw.Units.Where(u => u.DisplayType == DisplayType.Visible && u.MineralContents > 0).ToArray();
            Assert.Equal([900, 1800], fields.Select(f => f.MineralContents).Distinct().Order());
            Assert.All(fields, f => Assert.Equal(3 * MathF.PI / 2, f.Facing, 0.01));
            var unseen = raw.Units.Where(u => u.DisplayType == DisplayType.Snapshot && KindOf(u).EndsWith("Minerals"));
            Assert.All(unseen, u => Assert.Equal((CloakState.CloakedUnknown, 0f, 1f, false), (
                u.Cloak, u.Facing, u.BuildProgress, u.IsPowered)));
        }
    }

    [Fact]
    public void Values_of_a_type_are_the_games()
    {
        var real = _begun.Value.Append(_older.Value).SelectMany(o => o.Observation.RawData.Units).ToArray();
        var types = real.Where(u => TechTree.FindUnit((int)u.UnitType) is not null).GroupBy(u => u.UnitType).ToArray();
        Assert.True(types.Length > 15);
        foreach (var type in types)
        {
            var own = TechTree.Unit((int)type.Key);
            Assert.All(type, u => Assert.Equal(u.Radius, own.Radius / 4096f, 0.001));
            var life = own.Is(Kind.Minerals | Kind.Geyser) ? 10000 : own.Health;
            Assert.All(type.Where(u => u.HasHealthMax), u => Assert.Equal(
                (u.HealthMax, u.ShieldMax, u.EnergyMax), (life, own.Shield, own.Energy)));
        }

        var begun = GameMap.All.SelectMany(m => Begin(m.Name, Race.Terran).Observation.RawData.Units);
        Assert.All(begun.Where(u => KindOf(u) is "1 Neutral Minerals" or "1 Neutral Geyser"), u => Assert.Equal(
            (10000f, 10000f), (u.Health, u.HealthMax)));
    }

    private static ResponseObservation[] Real(string ending) =>
        [.. SharedFolder.RealMessages(ending).Select(ResponseObservation.Parser.ParseFrom)];

    private static ResponseObservation Begin(string map, Race race) =>
        ResponseObservation.Parser.ParseFrom(Bytes(map, race));

    private static byte[] Bytes(string map, Race race)
    {
        PlayerSpec Spec(Race r) => new(PlayerType.Participant, r, Difficulty.VeryEasy, AIBuild.RandomBuild, "");
        var world = new GameWorld(GameMap.Find(map)!, [Spec(race), Spec(Race.Zerg)], 1);
        return new Simulator.Observing.ObservationWriter(world).Write(1, Game.Options, false).ToArray();
    }

    private static string KindOf(SC2APIProtocol.Unit unit)
    {
        var kind = TechTree.FindUnit((int)unit.UnitType)?.Kind ?? Kind.None;
        kind &= Kind.Worker | Kind.TownHall | Kind.Minerals | Kind.Geyser;
        return $"{(int)unit.DisplayType} {unit.Alliance} {kind}";
    }

    private static string Fields(SC2APIProtocol.Unit unit) => string.Join(' ', Seen.Fields(unit));

    private static bool Loaded(SC2APIProtocol.Unit unit) => unit.BuffIds.Contains(271);

    private static void Image(ImageData theirs, ImageData ours, int bits)
    {
        Assert.Equal(Seen.Fields(theirs), Seen.Fields(ours));
        Assert.Equal((bits, bits), (theirs.BitsPerPixel, ours.BitsPerPixel));
        foreach (var image in new[] { theirs, ours })
        {
            Assert.Equal(((image.Size.X * image.Size.Y * bits) + 7) / 8, image.Data.Length);
        }
    }
}
