using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>Commands a computer's army: gathers it at the newest base, defends, and attacks in waves.</summary>
internal sealed class General(GameWorld world, Player player, Skill skill, UnitInventory inventory, CommandIssuer issuer) : Copyable
{
    /// <summary>From this loop on, a match must end: no army retreats, and no computer builds defences.</summary>
    public const int LastDays = 21_000;

    private const int Flight = 500;
    private const int Alarm = 14 * Geometry.Cell;
    private const int AtPlace = 8 * Geometry.Cell;
    private const int Around = 20 * Geometry.Cell;
    private const int Patrol = 24;

    // From this loop on, armies hardly grow any more. The required supply for an attack then falls with time: to half after Patience loops.
    private const int Late = 17_500;
    private const int Patience = 1500;
    private const int LongWalk = 1500;
    private bool _attacking;
    private int _waves;
    private int _waveFood;
    private int _nextAttack;
    private int _fleesUntil;
    private int _searched;
    private int _searchedSince;
    private Unit? _target;

    // The units of the current wave. Null: all units, including new ones.
    private HashSet<Unit>? _wave;

    private Unit Lead => inventory.Army.Find(IsInWave) ?? inventory.Army[0];

    private Phase Wave => skill.Phases[Math.Min(_waves, skill.Phases.Length - 1)];

    public void Think()
    {
        if (world.Loop > LastDays && inventory.Halls.Sum(h => h.IdealHarvesters) == 0)
        {
            // No resources are left: workers fight too, and all units attack.
            inventory.Army.AddRange(inventory.Workers);
            _wave = null;
        }

        var intruder = Intruder();
        inventory.Threat = intruder is null ? 0 : Guards(intruder);
        if (inventory.Army.Count == 0)
        {
            (_attacking, _wave) = (false, null);
            return;
        }

        Decide();
        var army = inventory.Army.ToList();
        if (intruder is not null && (!_attacking || (world.Loop < LastDays && inventory.Threat > inventory.ArmyFood / 3)))
        {
            var called = DefendersAgainst(intruder);
            Send(called, intruder.X, intruder.Y);
            army.RemoveAll(called.Contains);
        }

        if (_attacking && army.FindAll(unit => !IsInWave(unit)) is { Count: > 0 } others)
        {
            army.RemoveAll(others.Contains);
            var (hx, hy) = intruder is null ? Rally() : (intruder.X, intruder.Y);
            Send(others, hx, hy);
        }

        if ((_attacking ? Goal() : Rally()) is var (x, y))
        {
            Send(army, x, y);
        }
        else
        {
            Scatter();
        }
    }

    private void Decide()
    {
        if (world.Map.Scenario is not null)
        {
            // As in SMAC, the enemy attacks the agents' start from the first loop on, and does not retreat.
            _attacking = true;
            return;
        }

        if (_nextAttack == 0)
        {
            _nextAttack = Wave.Until + (skill.IsScripted ? 0 : world.Random(800));
        }

        var army = _wave is null ? inventory.ArmyFood : Food(inventory.Army.Where(IsInWave));
        var waited = Math.Max(0, world.Loop - (skill.IsScripted ? Late : Math.Max(Late, _nextAttack)));
        var enough = Wave.AttackFood * Patience / (Patience + waited);
        if (skill.IsScripted && world.Loop >= _nextAttack)
        {
            // All present units attack, unless they are fewer than half of the number that the phase requires. Units that are
            // made later wait for the end of the next phase (MeleeLowAI.galaxy, AITestTimeout).
            _waves++;
            _nextAttack = Math.Max(Wave.Until, world.Loop + skill.Rest);
            if (Food(inventory.Army) is var there && there >= enough)
            {
                (_attacking, _waveFood, army, _wave) = (true, there, there, [.. inventory.Army]);
            }
        }
        else if (!skill.IsScripted && !_attacking && world.Loop >= _nextAttack
            && (player.HalfFoodUsed >= 394 || army >= enough))
        {
            (_attacking, _waveFood) = (true, army);
            _waves++;
        }
        else if (_attacking && world.Loop < LastDays && Beaten(army))
        {
            // The remaining units retreat, and the next wave gathers.
            (_attacking, _wave) = (false, null);
            _fleesUntil = world.Loop + Flight;
            _nextAttack = skill.IsScripted ? _nextAttack : Math.Max(world.Loop + 1200, Wave.Until) + world.Random(1200);
        }

        _waveFood = Math.Max(_waveFood, _attacking ? army : 0);
    }

    private bool IsInWave(Unit unit) => _wave?.Contains(unit) != false;

    private static int Food(IEnumerable<Unit> units) => units.Sum(static unit => unit.Type.HalfFood);

    // The wave is beaten if it has lost a third and the enemy is as strong, or if it has lost nearly everything. The
    // first wave only tests the enemy's defence, so it is beaten as soon as it meets an army.
    private bool Beaten(int army) =>
        army == 0 || army < _waveFood / 4 || (_waves == 1 && Guards(Lead) > army / 8)
        || (army < _waveFood * 2 / 3 && Guards(Lead) > army * 2 / 3);

    // The visible army of the enemy around a unit, in halves of supply.
    private int Guards(Unit lead)
    {
        var food = 0;
        foreach (var unit in world.Bins.Near(lead.X, lead.Y, Around))
        {
            var seen = unit.Owner != player.Id && unit.Owner != GameWorld.Neutral
                && (unit.SeenBy & (1 << player.Id)) != 0;
            food += seen && unit.Type.Is(Kind.Army) ? unit.Type.HalfFood : 0;
        }

        return food;
    }

    private Unit? Intruder() => world.Units.FirstOrDefault(unit =>
        unit.Alive && unit.Present && unit.Owner != player.Id && unit.Owner != GameWorld.Neutral
        && (unit.SeenBy & (1 << player.Id)) != 0 && !unit.Type.Is(Kind.Structure)
        && inventory.Halls.Exists(h => Geometry.Length(h.X - unit.X, h.Y - unit.Y) < Alarm));

    // The nearest known building of the enemy, otherwise the enemy's start. Null if both have been searched.
    private (int X, int Y)? Goal()
    {
        var lead = Lead;
        var remembered = world.Vision.SnapshotsOf(player.Id).Select(s => s.Unit).ToHashSet();
        _target = world.Units.Where(unit => unit.Alive && unit.Owner != player.Id && unit.Owner != GameWorld.Neutral
            && unit.Type.Is(Kind.Structure) && (!unit.Cloaked || Combat.Sees(player.Id, unit))
            && (skill.SeesAll || (unit.SeenBy & (1 << player.Id)) != 0 || remembered.Contains(unit)))
            .MinBy(unit => Geometry.Length(unit.X - lead.X, unit.Y - lead.Y));
        if (_target is { } found)
        {
            return (found.X, found.Y);
        }

        var enemies = world.Players.Where(p => p.Id != player.Id && p.Result is null)
            .Select(p => p.StartBase).ToArray();
        if (_searched >= enemies.Length)
        {
            return null;
        }

        var place = world.Map.Bases[enemies[_searched]];
        if (Geometry.Length(place.X - lead.X, place.Y - lead.Y) < AtPlace || world.Loop - _searchedSince > LongWalk)
        {
            _searchedSince = world.Loop;
            _searched++;
        }

        return (place.X, place.Y);
    }

    // No building of the enemy is known, and its start has been searched. Each unit goes to a random point.
    private void Scatter()
    {
        foreach (var unit in inventory.Army)
        {
            if (unit.Orders.Count == 0 && unit.Engaged is null)
            {
                var (x, y) = (world.Random(world.Map.Width), world.Random(world.Map.Height));
                issuer.Do(unit, AbilityId.Attack, x * Geometry.Cell, y * Geometry.Cell);
            }
        }
    }

    // The rally point is at the newest base, on the side of the start. In front of the base, units would be drawn one by one
    // into fights with enemy units that wait in front of theirs.
    private (int X, int Y) Rally()
    {
        var home = inventory.Halls.Count > 0 ? inventory.Halls[^1] : null;
        if (home is null)
        {
            return (inventory.Army[0].X, inventory.Army[0].Y);
        }

        var (hx, hy) = (world.Map.Bases[player.StartBase].X, world.Map.Bases[player.StartBase].Y);
        var length = Math.Max(1, Geometry.Length(hx - home.X, hy - home.Y));
        return (home.X + (int)((long)(hx - home.X) * 7 * Geometry.Cell / length),
            home.Y + (int)((long)(hy - home.Y) * 7 * Geometry.Cell / length));
    }

    // Against a few intruders, the nearest units defend, with twice the intruders' supply. So one raider does not draw the
    // whole army across the map. Against an army, all units defend, because single groups would be beaten.
    private HashSet<Unit> DefendersAgainst(Unit intruder)
    {
        var called = new HashSet<Unit>();
        var food = inventory.Threat > inventory.ArmyFood / 5 ? int.MaxValue : Patrol + (inventory.Threat * 2);
        foreach (var unit in inventory.Army.OrderBy(u => Geometry.Length(u.X - intruder.X, u.Y - intruder.Y)))
        {
            if (food <= 0)
            {
                break;
            }

            called.Add(unit);
            food -= unit.Type.HalfFood;
        }

        return called;
    }

    private void Send(IReadOnlyCollection<Unit> army, int x, int y)
    {
        var flees = world.Loop < _fleesUntil && inventory.Threat == 0;
        foreach (var unit in army)
        {
            if (_attacking && unit.Orders.Count == 0 && unit.Engaged is null && _target is { Alive: true } target
                && Geometry.Length(unit.X - target.X, unit.Y - target.Y) < Alarm && Combat.CanFight(unit, target))
            {
                // The unit is near the target, but too far away to attack it by itself.
                issuer.Do(unit, AbilityId.Attack, target);
                continue;
            }

            var there = Geometry.Length(unit.X - x, unit.Y - y) < AtPlace;
            var same = unit.Order is { HasPoint: true } order && Geometry.Length(order.X - x, order.Y - y) < AtPlace;
            if (!there && !same && (flees || unit.Engaged is null))
            {
                issuer.Do(unit, flees ? AbilityId.Move : AbilityId.Attack, x, y);
            }
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (world, player, inventory, issuer) =
            (copies.Of(world), copies.Of(player), copies.Of(inventory), copies.Of(issuer));
        (_target, _wave) = (copies.UnitOf(_target), _wave is null ? null : [.. _wave.Select(unit => copies.UnitOf(unit))]);
    }
}
