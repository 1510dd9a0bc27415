using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>
/// A computer's workers, which fight as long as there is no army to do it. The miners meet a rush that comes before the army. The
/// workers of the game's own computers do the same.
/// </summary>
internal sealed class Militia(GameWorld world, Player player, Skill skill, UnitInventory inventory, CommandIssuer issuer)
{
    private const int AtBase = 12 * Geometry.Cell;

    // Loops within which even a slow computer notices that it is attacked.
    private const int Alarm = 16;

    // An army of half the attackers' supply does it. Against more than so many halves of supply for two workers, workers
    // only die. Both figures are ours: the game's scripts have none.
    private const int Army = 2;
    private const int Hopeless = 3;

    private readonly List<Unit> _attackers = [];

    /// <summary>Whether it is to think in this loop, however seldom the rest of the computer does.</summary>
    public bool IsDue => skill.WorkersFight && (world.Loop + player.Id) % Alarm == 0;

    /// <summary>One thought.</summary>
    public void Think()
    {
        if (!skill.WorkersFight)
        {
            return;
        }

        var strength = Find();
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

        while (missing-- > 0 && Next() is var (worker, attacker))
        {
            issuer.Do(worker, AbilityId.Attack, attacker.X, attacker.Y);
        }
    }

    // Who attacks something of the player's at one of its bases, by halves of supply; who only looks on does not count.
    private int Find()
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

    // The worker who mines nearest to an attacker, and whom it goes for.
    private (Unit Worker, Unit Attacker)? Next()
    {
        var pairs = from worker in inventory.Workers
                    where worker.Present && UnitInventory.IsMining(worker)
                    from attacker in _attackers
                    select ((Unit Worker, Unit Attacker)?)(worker, attacker);
        return pairs.MinBy(p => Geometry.Length(
            p!.Value.Worker.X - p.Value.Attacker.X, p.Value.Worker.Y - p.Value.Attacker.Y));
    }
}
