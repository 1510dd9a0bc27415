using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>A unit of the <see cref="HarshSequence"/>, with the fields that <see cref="UnitWriter"/> gives its kind.</summary>
internal sealed class HarshUnit
{
    private const int Attack = 23;
    private const int TrainingLoops = 400;
    private const float ResourceLife = 10000;

    // By owner: unit type, how many, the ability it is at (0: none).
    private static readonly (int Owner, (int Type, int Count, int Ability)[] Kinds)[] Composition =
    [
        (GameWorld.Neutral, [(341, 54, 0), (483, 46, 0), (342, 30, 0), (639, 10, 0)]),
        (1, [
            (45, 70, 295), (48, 130, Attack), (51, 30, Attack), (33, 16, Attack), (54, 12, 386), (35, 12, Attack),
            (18, 6, 524), (19, 32, 0), (20, 10, 0), (21, 14, 560), (22, 3, 0), (23, 36, 0), (27, 4, 595), (28, 4, 620),
        ]),
        (2, [
            (104, 62, 1183), (105, 120, Attack), (107, 50, Attack), (110, 44, Attack), (106, 30, 16),
            (137, 110, 0), (151, 24, 0), (98, 16, 0), (99, 10, 0), (86, 8, 0), (88, 6, 0),
        ]),
    ];

    private readonly UnitType _type;
    private readonly int _owner;
    private readonly int _ability;
    private ulong _tag;
    private ulong _target;
    private float _health;
    private float _targetX;
    private float _targetY;
    private int _begun;

    private HarshUnit(UnitType type, int owner, int ability)
    {
        _type = type;
        _owner = owner;
        _ability = ability;
        _health = type.Is(Kind.Minerals | Kind.Geyser) ? ResourceLife : type.Health;
    }

    /// <summary>Where it stands.</summary>
    public float X { get; set; }

    /// <summary>Where it stands.</summary>
    public float Y { get; set; }

    /// <summary>How high.</summary>
    public float Z { get; set; }

    /// <summary>Where it looks, in radians.</summary>
    public float Facing { get; set; }

    /// <summary>Whether it is one that goes about.</summary>
    public bool Moves => _ability != 0 && !_type.Is(Kind.Structure);

    /// <summary>All units, those of a kind in a row.</summary>
    public static HarshUnit[] All() =>
    [
        .. from side in Composition
           from kind in side.Kinds
           from _ in Enumerable.Range(0, kind.Count)
           select new HarshUnit(TechTree.Unit(kind.Type), side.Owner, kind.Ability),
    ];

    /// <summary>Gives it its place among the units, and something to do.</summary>
    public void Begin(int index, ref WorldRandom random)
    {
        _tag = TagOf(index);
        _target = TagOf(random.Next(HarshSequence.Units));
        _targetX = 8 + (random.Next(152 * 4096) / 4096f);
        _targetY = 8 + (random.Next(144 * 4096) / 4096f);
        _begun = random.Next(TrainingLoops);
    }

    /// <summary>Changes how much life it has.</summary>
    public void Hurt(ref WorldRandom random) => _health = (1 + random.Next(_type.Health * 256)) / 256f;

    /// <summary>Writes it (ObservationRaw.units).</summary>
    public void Write(WireWriter wire, int loop)
    {
        var neutral = _owner == GameWorld.Neutral;
        var start = wire.Begin(2);
        wire.Number(1, (ulong)DisplayType.Visible);
        wire.Number(2, (ulong)(neutral ? Alliance.Neutral : Alliance.Enemy));
        wire.Number(3, _tag);
        wire.Number(4, _type.Id);
        wire.Number(5, _owner);
        wire.Point(6, X, Y, Z);
        wire.Real(7, Facing);
        wire.Real(8, _type.Radius / (float)Geometry.Cell);
        wire.Real(9, 1);
        wire.Number(10, (ulong)CloakState.NotCloaked);
        wire.Bool(11, false);
        wire.Bool(12, false);
        wire.Bool(13, false);
        wire.Real(14, _health);
        wire.Real(15, _type.Is(Kind.Minerals | Kind.Geyser) ? ResourceLife : _type.Health);
        wire.Real(16, 0);
        wire.Real(17, _type.Energy == 0 ? 0 : EnergyAt(loop));
        WriteContents(wire);
        wire.Bool(20, _type.Is(Kind.Flying));
        wire.Bool(21, _type.Id == 137);
        WriteOrder(wire, loop);
        if (_type.CargoSpace > 0 && !_type.Is(Kind.TownHall))
        {
            wire.Number(25, 0);
            wire.Number(26, _type.CargoSpace);
        }

        if (!neutral)
        {
            wire.Number(28, 0);
            wire.Number(29, _type.Is(Kind.TownHall) ? 16 : _type.Is(Kind.Refinery) ? 3 : 0);
            if (_type.Weapons.Count > 0)
            {
                wire.Real(30, 0);
            }
        }

        if (_type.DetectionRange > 0)
        {
            wire.Real(31, _type.DetectionRange / (float)Geometry.Cell);
        }

        if (_type.Is(Kind.Structure))
        {
            wire.Bool(35, false);
        }

        wire.Real(36, 0);
        wire.Real(37, _type.Energy);
        wire.Bool(38, false);
        wire.Bool(39, _ability != 0);
        if (_type.Weapons.Count > 0)
        {
            wire.Number(40, 2);
        }

        wire.Number(41, neutral ? 0 : 1);
        wire.Number(42, 0);
        wire.End(start);
    }

    // As the game numbers them.
    private static ulong TagOf(int index) => (1UL << 32) + ((ulong)(index + 1) << 18) + 1;

    // 0.03515625 a loop, as the game gives it.
    private float EnergyAt(int loop) => Math.Min(_type.Energy * 256, (_begun + loop) * 9) / 256f;

    private void WriteContents(WireWriter wire)
    {
        if (_type.Is(Kind.Minerals))
        {
            wire.Number(18, 1800 - _begun);
        }
        else if (_type.Is(Kind.Geyser) || _type.Is(Kind.Refinery))
        {
            wire.Number(19, 2250 - _begun);
        }
    }

    private void WriteOrder(WireWriter wire, int loop)
    {
        if (_ability == 0)
        {
            return;
        }

        var order = wire.Begin(22);
        wire.Number(1, _ability);
        if (_type.Is(Kind.Structure))
        {
            wire.Real(4, (_begun + loop) % TrainingLoops / (float)TrainingLoops);
        }
        else if (_type.Is(Kind.Worker))
        {
            wire.Number(3, _target);
        }
        else
        {
            wire.Point(2, _targetX, _targetY, 0);
        }

        wire.End(order);
    }
}
