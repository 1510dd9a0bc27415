using SC2APIProtocol;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Attribute = SC2APIProtocol.Attribute;

namespace Sc2Bridge.Bench;

/// <summary>A match of a computer against somebody who does nothing, looked at every 56 loops (2.5 seconds).</summary>
internal sealed class ComputerMatch
{
    private const uint Every = 56;
    private const float NearHome = 30;
    private readonly SimulatedGame _game = new(new SimulatorOptions());
    private readonly Difficulty _difficulty;
    private readonly Race _race;
    private readonly Dictionary<uint, UnitTypeData> _types;

    public ComputerMatch(Difficulty difficulty, Race race, uint seed)
    {
        (_difficulty, _race) = (difficulty, race);
        var create = new RequestCreateGame
        {
            LocalMap = new LocalMap { MapPath = SimulatedMatch.Map },
            RandomSeed = seed,
            DisableFog = true,
            PlayerSetup =
            {
                new PlayerSetup { Type = PlayerType.Participant },
                new PlayerSetup { Type = PlayerType.Computer, Race = race, Difficulty = difficulty },
            },
        };
        var god = new DebugCommand { GameState = DebugGameState.God };
        _game.Handle(new Request { CreateGame = create });
        _game.Handle(new Request { JoinGame = new RequestJoinGame { Race = Race.Terran, Options = new InterfaceOptions { Raw = true } } });
        _game.Handle(new Request { Debug = new RequestDebug { Debug = { god } } });
        _types = _game.Handle(new Request { Data = new RequestData { UnitTypeId = true } }).Data.Units.ToDictionary(type => type.UnitId);
    }

    public ComputerRow Play(IReadOnlyList<int> minutes, double loopsPerMinute, CancellationToken ct)
    {
        var (at, attack) = (new List<Strength>(), (FirstAttack?)null);
        Point? home = null;
        while (at.Count < minutes.Count)
        {
            ct.ThrowIfCancellationRequested();
            var observation = _game.Handle(new Request { Observation = new RequestObservation() }).Observation.Observation
                ?? throw new CommandException($"the simulated match of {_difficulty} {_race} could not be observed");
            var enemies = observation.RawData.Units.Where(unit => unit.Alliance == Alliance.Enemy).ToList();
            home ??= observation.RawData.Units.First(unit => unit.Alliance == Alliance.Self && IsHall(unit)).Pos;
            var army = enemies.Where(IsArmy).ToList();
            if (observation.GameLoop >= minutes[at.Count] * loopsPerMinute)
            {
                at.Add(new Strength(
                    minutes[at.Count],
                    enemies.Count(IsWorker),
                    enemies.Count(unit => IsHall(unit) && unit.BuildProgress >= 1),
                    army.Sum(unit => (double)_types[unit.UnitType].FoodRequired),
                    army.Sum(unit => (int)(_types[unit.UnitType].MineralCost + _types[unit.UnitType].VespeneCost))));
            }

            if (attack is null && army.Exists(unit => Distance(unit, home) < NearHome))
            {
                var start = enemies.First(IsHall).Pos;
                var come = army.Where(unit => Distance(unit, home) < Distance(unit, start)).ToList();
                attack = new FirstAttack(
                    observation.GameLoop / loopsPerMinute,
                    come.Sum(unit => (double)_types[unit.UnitType].FoodRequired),
                    come.GroupBy(unit => _types[unit.UnitType].Name).OrderByDescending(kind => kind.Count())
                        .ToDictionary(kind => kind.Key, kind => kind.Count()));
            }

            _game.Handle(new Request { Step = new RequestStep { Count = Every } });
        }

        return new ComputerRow($"{_difficulty}", $"{_race}", at, attack);
    }

    private static float Distance(Unit unit, Point from) => MathF.Sqrt(
        ((unit.Pos.X - from.X) * (unit.Pos.X - from.X)) + ((unit.Pos.Y - from.Y) * (unit.Pos.Y - from.Y)));

    private bool IsWorker(Unit unit) => _types[unit.UnitType].Name is "SCV" or "Drone" or "Probe";

    private bool IsHall(Unit unit) => _types[unit.UnitType].Name
        is "CommandCenter" or "OrbitalCommand" or "PlanetaryFortress" or "Hatchery" or "Lair" or "Hive" or "Nexus";

    private bool IsArmy(Unit unit) => _types[unit.UnitType] is var type && type.FoodRequired > 0 && !IsWorker(unit)
        && !type.Attributes.Contains(Attribute.Structure);
}
