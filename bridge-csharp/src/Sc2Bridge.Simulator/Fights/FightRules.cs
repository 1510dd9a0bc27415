using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Fights;

/// <summary>What a unit of an observation does in a fight.</summary>
internal enum Role : byte
{
    /// <summary>It has no effect: its type is unknown, or it is mobile and cannot fight.</summary>
    None,

    /// <summary>A building or resource that is only in the way.</summary>
    Obstacle,

    /// <summary>It can be attacked, but its side has lost without fighters: a worker, a pylon, an observer.</summary>
    Target,

    /// <summary>It fights.</summary>
    Fighter,
}

/// <summary>Decides which units take part in a fight.</summary>
internal static class FightRoles
{
    // Workers that are farther away from all enemies are not in danger.
    private const float WorkerDistance = 8;

    /// <summary>Each unit's role.</summary>
    /// <exception cref="ArgumentException">A value of a unit is invalid.</exception>
    public static Role[] Of(FightField field, ReadOnlySpan<FightUnit> units)
    {
        var roles = new Role[units.Length];
        for (var i = 0; i < units.Length; i++)
        {
            Check(field, units, i);
            roles[i] = TechTree.FindUnit((int)units[i].Type) is not { } type ? Role.None
                : units[i].Side < 2 && units[i].Progress >= 1 && Fights(type) ? Role.Fighter
                : type.Is(Kind.Structure) ? Role.Obstacle
                : Role.None;
        }

        for (var i = 0; i < units.Length; i++)
        {
            if (roles[i] != Role.Fighter && units[i].Side < 2 && units[i].Progress >= 1 && TechTree.FindUnit((int)units[i].Type) is { } type
                && IsTarget(type, units, roles, i))
            {
                roles[i] = Role.Target;
            }
        }

        return roles;
    }

    private static bool Fights(UnitType type) => !type.Is(Kind.Worker) && (Arms.Armed(type) || type.Heals is not null);

    private static bool IsTarget(UnitType type, ReadOnlySpan<FightUnit> units, Role[] roles, int index)
    {
        var isSource = type.PowerRadius > 0 && !type.Is(Kind.NeedsPower);
        if (!type.Is(Kind.Worker) && !isSource)
        {
            return !type.Is(Kind.Structure) && (type.Is(Kind.Army) || type.DetectionRange > 0);
        }

        var unit = units[index];
        var reach = isSource ? type.PowerRadius / (float)Geometry.Cell : WorkerDistance;
        for (var i = 0; i < units.Length; i++)
        {
            if (roles[i] == Role.Fighter && (units[i].Side == unit.Side) == isSource
                && (!isSource || TechTree.Unit((int)units[i].Type).Is(Kind.NeedsPower))
                && Math.Abs(units[i].X - unit.X) <= reach && Math.Abs(units[i].Y - unit.Y) <= reach)
            {
                return true;
            }
        }

        return false;
    }

    private static void Check(FightField field, ReadOnlySpan<FightUnit> units, int index)
    {
        var unit = units[index];
        if (unit.Side is < 0 or > 2)
        {
            throw new ArgumentException($"unit {index}: side {unit.Side}: give 0 (own), 1 (enemy) or 2 (neither)");
        }

        if (!(unit.X >= 0 && unit.X < field.Width && unit.Y >= 0 && unit.Y < field.Height))
        {
            throw new ArgumentException(
                FormattableString.Invariant($"unit {index}: position {unit.X}, {unit.Y}: give a place on the map, {field.Width} by {field.Height}"));
        }

        ReadOnlySpan<float> points = [unit.Health, unit.HealthMax, unit.Shield, unit.Energy, unit.Progress];
        foreach (var value in points)
        {
            if (value is not (>= 0 and <= FightRules.Most))
            {
                throw new ArgumentException(
                    FormattableString.Invariant($"unit {index}: {value}: give health, shield, energy and progress from 0 to {FightRules.Most}"));
            }
        }

        if (unit.WeaponCooldown is not (>= -FightRules.Most and <= FightRules.Most) || !float.IsFinite(unit.Facing)
            || unit.Target < -1 || unit.Target >= units.Length)
        {
            throw new ArgumentException($"unit {index}: the facing, the weapon cooldown or the target is invalid");
        }
    }
}

/// <summary>Numbers and objects that all fights share.</summary>
internal static class FightRules
{
    /// <summary>The largest health, shield, energy and cooldown.</summary>
    public const float Most = 100_000;

    private static readonly PlayerSpec Player = new(PlayerType.Participant, Race.Terran, Difficulty.VeryEasy, AIBuild.RandomBuild, "");
    private static readonly ScenarioPlayer Start = new(Race.Terran, (0, 0), [], false, false, []);

    public static PlayerSpec[] Players { get; } = [Player, Player];

    /// <summary>The scenario of each fight: no bases, and no units before the fight puts them on the map.</summary>
    public static Scenario Scenario { get; } = new() { Players = [Start, Start] };

    /// <summary>A length in cells, converted to 1/4096 of a cell.</summary>
    public static int Place(float cells) => (int)MathF.Round(cells * Geometry.Cell);
}
