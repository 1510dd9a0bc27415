using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Uses the energy of town halls and queens: MULEs, injections, creep tumours, chrono boost.</summary>
internal sealed class Caster(GameWorld world, Player player, Skill skill, UnitInventory inventory, CommandIssuer issuer) : Copyable
{
    public void Think()
    {
        foreach (var maker in inventory.Makers)
        {
            switch (maker.Type.Id)
            {
                case UnitId.OrbitalCommand when maker.Energy >= 50 * 256
                    && UnitInventory.MineralOf(world, maker) is { } field:
                    issuer.Do(maker, AbilityId.EffectCalldownMULE, field);
                    break;
                case UnitId.Nexus when maker.Energy >= 50 * 256
                    && inventory.Makers.Find(m => m.Queue.Count > 0 && m.Powered) is { } busy:
                    issuer.Do(maker, AbilityId.EffectChronoBoostEnergyCost, busy);
                    break;
                case UnitId.Queen when maker.Orders.Count == 0 && maker.Energy >= 25 * 256:
                    Use(maker);
                    break;
                case UnitId.CreepTumorBurrowed when inventory.Tumors < skill.Tumors
                    && !maker.Cooldowns.ContainsKey(AbilityId.BuildCreepTumorTumor):
                    Spread(maker, AbilityId.BuildCreepTumorTumor, 9);
                    break;
            }
        }
    }

    private void Use(Unit queen)
    {
        if (inventory.Tumors < Math.Min(skill.Tumors, world.Loop / 250) && world.Random(2) == 0)
        {
            Spread(queen, AbilityId.BuildCreepTumorQueen, 7);
        }
        else if (inventory.Halls.Where(Waits).MinBy(h => Geometry.Length(h.X - queen.X, h.Y - queen.Y)) is { } hall)
        {
            issuer.Do(queen, AbilityId.EffectInjectLarva, hall);
        }
    }

    // The hall has no injection yet, and no queen has an order to inject it.
    private bool Waits(Unit hall) =>
        hall.InjectLeft <= 0 && !inventory.Makers.Exists(m => ReferenceEquals(m.Order?.Target, hall));

    // Tries random positions around the unit.
    private void Spread(Unit unit, int ability, int cells)
    {
        var tumor = TechTree.Ability(ability);
        for (var tries = 0; tries < 3; tries++)
        {
            var x = unit.X + ((world.Random((2 * cells) + 1) - cells) * Geometry.Cell);
            var y = unit.Y + ((world.Random((2 * cells) + 1) - cells) * Geometry.Cell);
            if (Placement.Query(world, player, tumor, x, y, unit) == ActionResult.Success
                && issuer.Do(unit, ability, x, y))
            {
                return;
            }
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies) => (world, player, inventory, issuer) =
            (copies.Of(world), copies.Of(player), copies.Of(inventory), copies.Of(issuer));
}
