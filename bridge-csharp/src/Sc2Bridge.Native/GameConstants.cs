using SC2APIProtocol;

namespace Sc2Bridge.Native;

/// <summary>The game's numbers that actions need. They are the same in each match.</summary>
internal sealed class GameConstants
{
    private const double NoWeapon = -1e9;

    private readonly Dictionary<uint, (double Air, double Ground)> _ranges = [];

    /// <summary>Reads the game's data.</summary>
    public GameConstants(ResponseData data)
    {
        Stop = AbilityNamed(data, "Stop");
        Move = AbilityNamed(data, "Move");
        Attack = AbilityNamed(data, "Attack");
        Heal = AbilityNamed(data, "Effect Heal");
        Healer = data.Units.OrderByDescending(unit => unit.Available).First(unit => unit.Name == "Medivac").UnitId;
        foreach (var unit in data.Units)
        {
            _ranges.TryAdd(unit.UnitId, (RangeOf(unit, Weapon.Types.TargetType.Air), RangeOf(unit, Weapon.Types.TargetType.Ground)));
        }
    }

    public int Stop { get; }

    public int Move { get; }

    public int Attack { get; }

    public int Heal { get; }

    /// <summary>The unit type that heals instead of attacking.</summary>
    public uint Healer { get; }

    /// <summary>A type's range against flying units or units on the ground; negative without such a weapon.</summary>
    public double RangeOf(uint type, bool isFlying)
    {
        var (air, ground) = _ranges.GetValueOrDefault(type, (NoWeapon, NoWeapon));
        return isFlying ? air : ground;
    }

    // As sc2bridge.game.names: a general ability before a special one, and an available one before others.
    private static int AbilityNamed(ResponseData data, string name)
    {
        var general = data.Abilities.Where(ability => ability.HasRemapsToAbilityId).Select(ability => ability.RemapsToAbilityId).ToHashSet();
        return (int)data.Abilities
            .Where(ability => ability.FriendlyName == name)
            .OrderBy(ability => (!general.Contains(ability.AbilityId), !ability.Available, ability.AbilityId))
            .First().AbilityId;
    }

    private static double RangeOf(UnitTypeData unit, Weapon.Types.TargetType target) => unit.Weapons
        .Where(weapon => weapon.Type == target || weapon.Type == Weapon.Types.TargetType.Any)
        .Select(weapon => (double)weapon.Range).DefaultIfEmpty(NoWeapon).Max();
}
