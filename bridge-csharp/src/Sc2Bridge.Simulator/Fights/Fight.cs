using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Fights;

/// <summary>One fight: both sides attack-move to each other until one side cannot fight any more.</summary>
internal sealed class Fight
{
    private const int CommandEvery = 8;

    // The API does not report how long buffs last. Most last about this long or are renewed.
    private const int BuffLoops = 100;

    private static readonly Ability?[] Attacks = [.. TechTree.Units.Select(type =>
        AbilityKinds.Find(type, AbilityKind.Attack) ?? AbilityKinds.Find(type, AbilityKind.Move))];

    private readonly GameWorld _world;
    private readonly (Unit Unit, int Index, bool Fights)[] _all;

    /// <summary>Puts the units on the map.</summary>
    public Fight(
        GameWorld world, CellArea area, ReadOnlySpan<FightUnit> units, Role[] roles,
        (IReadOnlyList<int> Own, IReadOnlyList<int> Enemy) upgrades)
    {
        _world = world;
        world.Players[0].Upgrades.UnionWith(upgrades.Own);
        world.Players[1].Upgrades.UnionWith(upgrades.Enemy);
        var made = new Unit?[units.Length];
        var all = new List<(Unit, int, bool)>();
        for (var i = 0; i < units.Length; i++)
        {
            if (roles[i] > Role.Obstacle)
            {
                Upgrades.GainLevels(world.Players[units[i].Side], TechTree.Unit((int)units[i].Type), units[i].Levels);
                all.Add((made[i] = Put(units[i], area), i, roles[i] == Role.Fighter));
            }
        }

        _all = [.. all];
        world.Refresh();
        foreach (var (unit, index, _) in _all)
        {
            unit.Engaged = units[index].Target is >= 0 and var target ? made[target] : null;
            SetCooldown(unit, units[index]);
        }
    }

    /// <summary>Plays it.</summary>
    public FightResult Play(int loops, Span<FightLife> lives)
    {
        int winner;
        while ((winner = Winner()) == 0 && _world.Loop < loops && !_world.Ended)
        {
            if (_world.Loop % CommandEvery == 0)
            {
                Command();
            }

            _world.Step();
        }

        return Describe(Math.Max(0, winner), lives);
    }

    // -1 if neither side can fight, 0 if both can.
    private int Winner()
    {
        var (own, enemy) = (false, false);
        foreach (var (unit, _, fights) in _all)
        {
            own |= fights && unit.Alive && unit.Owner == 1;
            enemy |= fights && unit.Alive && unit.Owner == 2;
        }

        return own && enemy ? 0 : own ? 1 : enemy ? 2 : -1;
    }

    private Unit Put(FightUnit from, CellArea area)
    {
        var type = TechTree.Unit((int)from.Type);
        var (x, y) = _world.Map.Inside(FightRules.Place(from.X - area.X0), FightRules.Place(from.Y - area.Y0));
        var unit = _world.Add(type, from.Side + 1, x, y);
        unit.Facing = (int)(from.Facing * (Geometry.Turn / MathF.Tau)) & (Geometry.Turn - 1);
        unit.MoreHealth = from.HealthMax > 0 ? (int)from.HealthMax - type.Health : unit.MoreHealth;
        unit.Health = Math.Max(1, (int)(from.Health * 256));
        unit.Shield = (int)(from.Shield * 256);
        unit.Energy = (int)(from.Energy * 256);

        // Missing shields show that the unit was hit. When is unknown.
        unit.LastHit = unit.Shield < type.Shield * 256 ? 0 : unit.LastHit;
        foreach (var buff in (ReadOnlySpan<uint>)[from.Buff, from.OtherBuff])
        {
            if (buff > 0 && buff < TechTree.Buffs.Length)
            {
                Buffs.Put(unit, (int)buff, BuffLoops);
            }
        }

        return unit;
    }

    // The cooldown of an enemy that fights is unknown.
    private void SetCooldown(Unit unit, FightUnit from)
    {
        if (from.WeaponCooldown >= 0)
        {
            unit.WeaponLeft = (int)(from.WeaponCooldown * 256);
        }
        else if (Combat.Nearest(_world, unit, mayChase: false) is { } target && Arms.Against(unit.Type, target.Type) is { } weapon)
        {
            unit.WeaponLeft = _world.Random(weapon.Cooldown + 1);
        }
    }

    // Units that have nothing to do attack-move to the nearest enemy.
    private void Command()
    {
        foreach (var (unit, _, fights) in _all)
        {
            if (fights && unit.Alive && unit.Orders.Count == 0 && unit.Engaged is null && unit.Type.Speed > 0
                && Attacks[unit.Type.Index] is { } ability && NearestEnemy(unit) is { } enemy)
            {
                unit.Orders.Add(new Order(ability) { HasPoint = true, X = enemy.X, Y = enemy.Y });
            }
        }
    }

    private Unit? NearestEnemy(Unit unit)
    {
        Unit? best = null;
        var least = long.MaxValue;
        foreach (var (other, _, _) in _all)
        {
            long dx = other.X - unit.X;
            long dy = other.Y - unit.Y;
            if (other.Alive && other.Owner != unit.Owner && (dx * dx) + (dy * dy) < least)
            {
                (best, least) = (other, (dx * dx) + (dy * dy));
            }
        }

        return best;
    }

    private FightResult Describe(int winner, Span<FightLife> lives)
    {
        lives.Fill(new FightLife(-1, 0));
        Span<(int Minerals, int Vespene, int HalfFood)> lost = stackalloc (int, int, int)[3];
        foreach (var (unit, index, _) in _all)
        {
            lives[index] = unit.Alive ? new FightLife(unit.Health / 256f, unit.Shield / 256f) : default;
            if (!unit.Alive)
            {
                ref var side = ref lost[unit.Owner];
                side = (side.Minerals + unit.Type.Minerals, side.Vespene + unit.Type.Vespene, side.HalfFood + unit.Type.HalfFood);
            }
        }

        return new FightResult(
            winner, _world.Loop, lost[1].Minerals, lost[1].Vespene, lost[1].HalfFood / 2f, lost[2].Minerals, lost[2].Vespene,
            lost[2].HalfFood / 2f);
    }
}
