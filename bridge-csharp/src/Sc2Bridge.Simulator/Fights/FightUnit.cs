using System.Runtime.InteropServices;

namespace Sc2Bridge.Simulator.Fights;

/// <summary>A unit at the beginning of a fight, with the layout of sc2bridge_fight_unit in sc2bridge.h.</summary>
/// <param name="Type">UnitTypeData.unit_id. Units of unknown types are ignored.</param>
/// <param name="Side">0 own, 1 enemy, 2 neither.</param>
/// <param name="X">In cells.</param>
/// <param name="Y">In cells.</param>
/// <param name="Facing">In radians.</param>
/// <param name="Progress">The build progress, 0 to 1.</param>
/// <param name="Health">In points.</param>
/// <param name="HealthMax">In points; 0 if it is unknown.</param>
/// <param name="Shield">In points.</param>
/// <param name="Energy">In points.</param>
/// <param name="WeaponCooldown">Game loops until the next shot; negative if it is unknown.</param>
/// <param name="Target">The index of the unit that it fights; -1 if it is unknown.</param>
/// <param name="Levels">Upgrade levels: attack + 256 * armour + 65536 * shields.</param>
/// <param name="Buff">A buff; 0 for none.</param>
/// <param name="OtherBuff">Another buff; 0 for none.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct FightUnit(
    uint Type, int Side, float X, float Y, float Facing, float Progress, float Health, float HealthMax, float Shield, float Energy,
    float WeaponCooldown, int Target, uint Levels, uint Buff, uint OtherBuff);

/// <summary>A unit at the end of a fight.</summary>
/// <param name="Health">In points; 0 if it died, -1 if it took no part.</param>
/// <param name="Shield">In points.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct FightLife(float Health, float Shield);

/// <summary>How a fight ended, with the layout of sc2bridge_fight_result in sc2bridge.h.</summary>
/// <param name="Winner">1 own side, 2 enemy; 0 if both or neither can still fight.</param>
/// <param name="Loops">The duration in game loops.</param>
/// <param name="OwnMinerals">The price of the own units that died.</param>
/// <param name="OwnVespene">The price of the own units that died.</param>
/// <param name="OwnSupply">The supply of the own units that died.</param>
/// <param name="EnemyMinerals">The price of the enemies that died.</param>
/// <param name="EnemyVespene">The price of the enemies that died.</param>
/// <param name="EnemySupply">The supply of the enemies that died.</param>
[StructLayout(LayoutKind.Sequential)]
public readonly record struct FightResult(
    int Winner, int Loops, int OwnMinerals, int OwnVespene, float OwnSupply, int EnemyMinerals, int EnemyVespene, float EnemySupply);
