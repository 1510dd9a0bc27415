using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.Tests.World;

namespace Sc2Bridge.Simulator.Tests.Observing;

/// <summary>An observation without a message has the same values as the message.</summary>
public sealed class ObservedStateTests
{
    [Theory]
    [InlineData(1u)]
    [InlineData(2u)]
    public void Of_whole_matches(uint seed)
    {
        var game = Game.Joined(Game.Create(seed));
        while (game.Status == Status.InGame && game.Match!.World.Loop < 12_000)
        {
            game.Step(151);
            Compare(game.Match.World);
        }
    }

    [Fact]
    public void Of_random_units_of_all_types()
    {
        var shown = new HashSet<(DisplayType, bool)>();
        for (var seed = 1; seed <= 30; seed++)
        {
            var random = new Random(seed);
            var arena = new Arena(second: random.Next(2) == 0 ? Race.Terran : Race.Zerg);
            for (var i = 0; i < 40; i++)
            {
                var type = TechTree.Units[random.Next(TechTree.Units.Length)];
                var unit = arena.Add(type.Id, 1 + random.Next(2), 30 + random.Next(60), 30 + random.Next(60));
                unit.Cloaked = random.Next(4) == 0;
            }

            for (var i = 0; i < 20; i++)
            {
                arena.Run(1 + random.Next(12));
                shown.UnionWith(Compare(arena.World));
            }
        }

        Assert.Superset(new HashSet<(DisplayType, bool)> { (DisplayType.Visible, false), (DisplayType.Snapshot, false), (DisplayType.Hidden, true) }, shown);
    }

    // Returns how units were shown, and whether they were blips.
    private static HashSet<(DisplayType Shown, bool IsBlip)> Compare(GameWorld world)
    {
        var shown = new HashSet<(DisplayType, bool)>();
        var state = new ObservedState();
        foreach (var viewer in new[] { 1, 2 })
        {
            foreach (var fogless in new[] { false, true })
            {
                var writer = new ObservationWriter(world);
                var dead = world.EventsOf(viewer).Dead.ToHashSet();
                state.Read(writer.ViewOf(viewer, Game.Options), Game.Options, fogless, omitResults: false);
                var message = ResponseObservation.Parser.ParseFrom(writer.Write(viewer, Game.Options, fogless));
                shown.UnionWith(message.Observation.RawData.Units.Select(unit => (unit.DisplayType, unit.IsBlip)));
                Assert.Equal(message.Observation.RawData.Units.Select(Values), state.Units.ToArray().Select(Values));
                var common = message.Observation.PlayerCommon;
                Assert.Equal(
                    [
                        common.Minerals, common.Vespene, common.FoodUsed, common.FoodCap, common.FoodWorkers, common.IdleWorkerCount,
                        common.ArmyCount,
                    ],
                    state.Player);
                Assert.Equal((message.Observation.GameLoop, message.Observation.Score.Score_), (state.GameLoop, state.Score));
                Assert.Equal(dead, state.Dead);
                Assert.Equal(message.PlayerResult.SingleOrDefault(each => each.PlayerId == viewer)?.Result, state.Result);
            }
        }

        return shown;
    }

    private static object Values(SC2APIProtocol.Unit unit) => (
        (unit.Tag, unit.UnitType, unit.Alliance, unit.Cloak),
        (unit.Pos.X, unit.Pos.Y, unit.Facing, unit.Radius, unit.BuildProgress, unit.WeaponCooldown),
        (unit.Health, unit.HealthMax, unit.Shield, unit.ShieldMax, unit.Energy, unit.EnergyMax),
        (unit.IsFlying, unit.Orders.Count > 0));

    private static object Values(ObservedUnit unit) => (
        (unit.Tag, unit.Type, unit.Alliance, unit.Cloak),
        (unit.X, unit.Y, unit.Facing, unit.Radius, unit.BuildProgress, unit.WeaponCooldown),
        (unit.Health, unit.HealthMax, unit.Shield, unit.ShieldMax, unit.Energy, unit.EnergyMax),
        (unit.IsFlying, unit.HasOrders));
}
