using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Fights;
using Sc2Bridge.Simulator.Tests.Scenarios;

namespace Sc2Bridge.Simulator.Tests.Fights;

/// <summary>A match of two computers with random armies, which is played on and foreseen.</summary>
internal sealed class RandomFight
{
    private static readonly string[] Types =
    [
        "Marine", "Marauder", "Reaper", "Ghost", "Hellion", "HellionTank", "SiegeTank", "Cyclone", "Thor", "VikingFighter", "Banshee",
        "Battlecruiser", "Medivac", "Zealot", "Stalker", "Adept", "Immortal", "Colossus", "Archon", "DarkTemplar", "Phoenix", "VoidRay",
        "Tempest", "Zergling", "Baneling", "Roach", "Ravager", "Hydralisk", "Mutalisk", "Corruptor", "BroodLord", "Ultralisk", "Queen",
    ];

    private readonly SimulatedGame _game;

    /// <summary>Begins a match of armies with the same number of units, of one to four types each.</summary>
    public RandomFight(Random random, int units = 10)
    {
        var json = $$"""
            { "map": [64, 48], "reveal": true, "players": [
              { "race": "Terran", "units": [{{Army(16)}}] }, { "race": "Zerg", "units": [{{Army(16 + random.Next(8, 28))}}] } ] }
            """;
        _game = Game.Joined(Arenas.Create(json, (uint)random.Next()), Game.Join(observed: 1));

        string Army(int x)
        {
            var types = random.GetItems(Types, random.Next(1, 5));
            var groups = types.Select((type, at) => $$"""
                { "type": "{{type}}", "count": {{(units / types.Length) + (at < units % types.Length ? 1 : 0)}}, "at": [{{x}}, {{24 + random.Next(-4, 5)}}] }
                """);
            return string.Join(", ", groups);
        }
    }

    public FightField Field => new(_game.Handle(new Request { GameInfo = new RequestGameInfo() }).GameInfo.StartRaw);

    public uint Loop => _game.Observe().Observation.Observation.GameLoop;

    public bool HasEnded => _game.Status == Status.Ended;

    public void Step(int loops) => _game.Step((uint)loops);

    /// <summary>The side that has armed units after this many loops; 0 if both or neither have.</summary>
    public int PlayOn(int loops)
    {
        for (var loop = 0; loop < loops && !HasEnded; loop++)
        {
            _game.Step();
        }

        var alive = _game.Match!.World.Units.Where(unit => unit.Alive && (Arms.Armed(unit.Type) || unit.Type.Heals is not null))
            .Select(unit => unit.Owner).Distinct().ToArray();
        return alive is [1 or 2] ? alive[0] : 0;
    }

    /// <summary>The units as player 1 sees them.</summary>
    public FightUnit[] Units()
    {
        var raw = _game.Observe().Observation.Observation.RawData;
        var tags = raw.Units.Select(unit => unit.Tag).ToList();
        return [.. raw.Units.Where(unit => !unit.IsHallucination).Select(unit => new FightUnit(
            unit.UnitType, unit.Alliance switch { Alliance.Self => 0, Alliance.Enemy => 1, _ => 2 }, unit.Pos.X, unit.Pos.Y, unit.Facing,
            unit.BuildProgress, unit.Health, unit.HealthMax, unit.Shield, unit.Energy, unit.HasWeaponCooldown ? unit.WeaponCooldown : -1,
            tags.IndexOf(unit.EngagedTargetTag),
            (uint)(unit.AttackUpgradeLevel + (unit.ArmorUpgradeLevel << 8) + (unit.ShieldUpgradeLevel << 16)),
            unit.BuffIds.ElementAtOrDefault(0), unit.BuffIds.ElementAtOrDefault(1)))];
    }
}
