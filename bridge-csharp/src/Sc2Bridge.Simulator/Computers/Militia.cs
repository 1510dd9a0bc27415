using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>
/// Lets a computer's workers fight while it has no army. Miners defend against a rush that comes before the army. The
/// workers of the game's own computers do the same.
/// </summary>
internal sealed class Militia(GameWorld world, Player player, Skill skill, UnitInventory inventory, CommandIssuer issuer) : Copyable
{
    private const int AtBase = 12 * Geometry.Cell;

    // The number of loops within which even a slow computer notices an attack.
    private const int Alarm = 16;

    // Workers do not fight if the army has half the attackers' supply. They also do not fight if the attackers have more than
    // this many halves of supply for two workers: they would only die. Both values are ours: the game's scripts have none.
    private const int Army = 2;
    private const int Hopeless = 3;

    private List<Unit> _attackers = [];

    /// <summary>Whether it acts in this loop. It acts more often than the other parts of a slow computer.</summary>
    public bool IsDue => skill.WorkersFight && (world.Loop + player.Id) % Alarm == 0;

    public void Think()
    {
        if (!skill.WorkersFight)
        {
            return;
        }

        var strength = FindAttackers();
        var missing = (strength * 5 / 4) + 1 - inventory.ArmyFood;
        if (strength == 0 || inventory.ArmyFood * Army >= strength
            || strength * 2 > Hopeless * inventory.Workers.Count)
        {
            return;
        }

        foreach (var worker in inventory.Workers)
        {
            missing -= worker.Order?.Ability.Id == AbilityId.Attack || worker.Engaged is not null ? 1 : 0;
        }

        while (missing-- > 0 && NextPair() is var (worker, attacker))
        {
            issuer.Do(worker, AbilityId.Attack, attacker.X, attacker.Y);
        }
    }

    // Finds units that attack the player at one of its bases, and returns their supply in halves. Passive enemies do not count.
    private int FindAttackers()
    {
        _attackers.Clear();
        var strength = 0;
        foreach (var hall in inventory.Halls)
        {
            foreach (var unit in world.Bins.Near(hall.X, hall.Y, AtBase))
            {
                if (unit.Alive && unit.Engaged?.Owner == player.Id && !unit.Type.Is(Kind.Structure | Kind.Flying)
                    && Combat.Sees(player.Id, unit) && !_attackers.Contains(unit))
                {
                    _attackers.Add(unit);
                    strength += Math.Max(1, unit.Type.HalfFood / (unit.Type.Is(Kind.Worker) ? 2 : 1));
                }
            }
        }

        return strength;
    }

    // The miner that is nearest to an attacker, and that attacker.
    private (Unit Worker, Unit Attacker)? NextPair()
    {
        var pairs = from worker in inventory.Workers
                    where worker.Present && UnitInventory.IsMining(worker)
                    from attacker in _attackers
                    select ((Unit Worker, Unit Attacker)?)(worker, attacker);
        return pairs.MinBy(p => Geometry.Length(
            p!.Value.Worker.X - p.Value.Attacker.X, p.Value.Worker.Y - p.Value.Attacker.Y));
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (world, player, inventory, issuer) =
            (copies.Of(world), copies.Of(player), copies.Of(inventory), copies.Of(issuer));
        _attackers = copies.UnitsOf(_attackers);
    }
}
