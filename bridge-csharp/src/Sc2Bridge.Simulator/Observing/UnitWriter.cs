using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes units (ObservationRaw.units) as one viewer sees them.</summary>
/// <remarks>
/// Own and neutral units, seen and remembered, carry the very fields of the real messages that are at hand. Enemies,
/// cloaked units, remembered buildings of enemies and an observer's view follow s2client-proto's comments ("not populated
/// for enemies", "not populated for snapshots") and are not verified.
/// </remarks>
internal readonly ref struct UnitWriter(
    WireWriter wire, GameWorld world, MapWindow window, InterfaceOptions options, int perspective, (int X, int Y) camera)
{
    /// <summary>The unit type of a sensor tower.</summary>
    public const int SensorTower = 25;

    /// <summary>How far a sensor tower reaches, in cells.</summary>
    public const float RadarRange = 27;

    // Half the camera's view, in cells: what the game shows at its usual zoom is about 24 by 14.
    private const int HalfView = 12 * Geometry.Cell;
    private const float FlightHeight = 3.75f;

    /// <summary>Writes a unit that the viewer sees, knows of, or is not there for it: then nothing.</summary>
    public void Write(Unit unit, bool disableFog)
    {
        if (!unit.Present)
        {
            return;
        }

        if (unit.Owner == perspective || perspective == 0 || disableFog)
        {
            WriteVisible(unit, DisplayType.Visible);
        }
        else if ((unit.SeenBy & (1 << perspective)) != 0)
        {
            var hidden = IsHidden(unit) && (unit.DetectedBy & (1 << perspective)) == 0;
            if (!hidden)
            {
                WriteVisible(unit, DisplayType.Visible);
            }
            else if (IsBurrowed(unit.Type) ? options.ShowBurrowedShadows : options.ShowCloaked)
            {
                WriteCloaked(unit);
            }
        }
    }

    /// <summary>Writes a building or resource as it was when the viewer last saw it.</summary>
    public void WriteSnapshot(in Snapshot seen)
    {
        var unit = seen.Unit;
        var start = wire.Begin(2);
        wire.UInt(1, (ulong)DisplayType.Snapshot);
        WriteIdentity(unit, seen.Type, seen.X, seen.Y);
        wire.UInt(10, (ulong)CloakState.CloakedUnknown);
        wire.Bool(12, OnScreen(seen.X, seen.Y));
        wire.Bool(13, false);
        wire.Bool(35, false);
        wire.End(start);
    }

    private static bool IsBurrowed(UnitType type) => type.Name.EndsWith("Burrowed", StringComparison.Ordinal) || type.Id == 493;

    private static bool IsHidden(Unit unit) => unit.Cloaked || IsBurrowed(unit.Type);

    private bool OnScreen(int x, int y) => Math.Abs(x - camera.X) <= HalfView && Math.Abs(y - camera.Y) <= HalfView;

    private Alliance AllianceOf(Unit unit) => unit.Owner == GameWorld.Neutral ? Alliance.Neutral
        : unit.Owner == perspective ? Alliance.Self : Alliance.Enemy;

    private void WriteIdentity(Unit unit, UnitType type, int x, int y)
    {
        wire.UInt(2, (ulong)AllianceOf(unit));
        wire.UInt(3, unit.Tag);
        wire.Int(4, type.Id);
        wire.Int(5, unit.Owner);
        var cell = (Math.Clamp(y / Geometry.Cell, 0, world.Map.Height - 1) * world.Map.Width)
            + Math.Clamp(x / Geometry.Cell, 0, world.Map.Width - 1);
        var z = (world.Map.TerrainHeight[cell] * 32f / 255f) - 16f;
        wire.Point(6, window.X(x), window.Y(y), type.Is(Kind.Flying) ? z + FlightHeight : z);
        wire.Float(7, unit.Facing * (MathF.Tau / Geometry.Turn));
        wire.Float(8, type.Radius / (float)Geometry.Cell);
        wire.Float(9, unit.Finished ? 1 : 1 - (unit.BuildLeft / (float)unit.BuildLoops));
    }

    private void WriteCloaked(Unit unit)
    {
        var start = wire.Begin(2);
        wire.UInt(1, (ulong)DisplayType.Hidden);
        WriteIdentity(unit, unit.Type, unit.X, unit.Y);
        wire.UInt(10, (ulong)CloakState.Cloaked);
        wire.Bool(12, OnScreen(unit.X, unit.Y));
        wire.Bool(13, false);
        wire.End(start);
    }

    private void WriteVisible(Unit unit, DisplayType display)
    {
        var type = unit.Type;
        var neutral = unit.Owner == GameWorld.Neutral;
        var detailed = !neutral && (unit.Owner == perspective || perspective == 0);
        var start = wire.Begin(2);
        wire.UInt(1, (ulong)display);
        WriteIdentity(unit, type, unit.X, unit.Y);
        wire.UInt(10, (ulong)CloakOf(unit));
        wire.Bool(11, false);
        wire.Bool(12, OnScreen(unit.X, unit.Y));
        wire.Bool(13, false);
        wire.Float(14, unit.Health / 256f);
        wire.Float(15, type.Health);
        wire.Float(16, unit.Shield / 256f);
        wire.Float(17, unit.Energy / 256f);
        if (type.Is(Kind.Minerals))
        {
            wire.Int(18, unit.Contents);
        }
        else if (type.Is(Kind.Geyser) || type.Is(Kind.Refinery))
        {
            wire.Int(19, type.Is(Kind.Refinery) ? unit.Home?.Contents ?? unit.Contents : unit.Contents);
        }

        wire.Bool(20, type.Is(Kind.Flying));
        wire.Bool(21, IsBurrowed(type));
        var active = detailed && OrderWriter.Write(wire, window, unit);
        if (detailed)
        {
            WriteAddOnAndCargo(unit);
        }

        foreach (var (buff, _) in unit.Buffs)
        {
            wire.Int(27, buff);
        }

        WriteLoad(unit);
        if (detailed)
        {
            wire.Int(28, unit.Harvesters);
            wire.Int(29, IdealHarvesters(unit));
            if (type.Weapons.Count > 0)
            {
                wire.Float(30, unit.WeaponLeft / 256f);
            }
        }

        WriteRanges(unit, detailed);
        wire.Float(36, type.Shield);
        wire.Float(37, type.Energy);
        wire.Bool(38, unit.Hallucination && (detailed || (unit.DetectedBy & (1 << perspective)) != 0));
        wire.Bool(39, detailed ? active : !neutral && unit.Orders.Count + unit.Queue.Count > 0);
        WriteLevels(unit, neutral);
        if (detailed)
        {
            WriteTimedLife(unit);
            WriteRallies(unit);
        }

        wire.End(start);
    }

    private CloakState CloakOf(Unit unit) => !IsHidden(unit) ? CloakState.NotCloaked
        : unit.Owner == perspective || perspective == 0 ? CloakState.CloakedAllied : CloakState.CloakedDetected;

    private void WriteAddOnAndCargo(Unit unit)
    {
        if (unit.AddOn is { } addOn && !unit.Type.Is(Kind.AddOn))
        {
            wire.UInt(23, addOn.Tag);
        }

        foreach (var passenger in unit.Passengers)
        {
            var start = wire.Begin(24);
            wire.UInt(1, passenger.Tag);
            wire.Float(2, passenger.Health / 256f);
            wire.Float(3, passenger.Type.Health);
            wire.Float(4, passenger.Shield / 256f);
            wire.Float(5, passenger.Energy / 256f);
            wire.Int(6, passenger.Type.Id);
            wire.Float(7, passenger.Type.Shield);
            wire.Float(8, passenger.Type.Energy);
            wire.End(start);
        }

        if (unit.Type.CargoSpace > 0)
        {
            wire.Int(25, unit.Passengers.Sum(p => p.Type.CargoSize));
            wire.Int(26, unit.Type.CargoSpace);
        }
    }

    // What a worker carries is a buff: carryMineralFieldMinerals, carryHighYieldMineralFieldMinerals, carryHarvestable….
    private void WriteLoad(Unit unit)
    {
        if (unit.Load != Load.None)
        {
            wire.Int(27, unit.Load switch
            {
                Load.Minerals => 271,
                Load.RichMinerals => 272,
                _ => unit.Type.Race switch { Race.Terran => 273, Race.Protoss => 274, _ => 275 },
            });
        }
    }

    private static int IdealHarvesters(Unit unit) => !unit.Finished ? 0
        : unit.Type.Is(Kind.Refinery) ? (unit.Home?.Contents ?? unit.Contents) > 0 ? 3 : 0
        : unit.Type.Is(Kind.TownHall) ? unit.IdealHarvesters : 0;

    private void WriteRanges(Unit unit, bool detailed)
    {
        if (unit.Type.DetectionRange > 0 && unit.Finished)
        {
            wire.Float(31, unit.Type.DetectionRange / (float)Geometry.Cell);
        }

        if (unit.Type.Id == SensorTower && unit.Finished)
        {
            wire.Float(32, RadarRange);
        }

        if (detailed && unit.Engaged is { Alive: true } engaged)
        {
            wire.UInt(34, engaged.Tag);
        }

        // Buildings, and workers that carry something, have it in real messages.
        if (unit.Type.Is(Kind.Structure) || unit.Load != Load.None)
        {
            wire.Bool(35, unit.Powered);
        }
    }

    private void WriteLevels(Unit unit, bool neutral)
    {
        var player = neutral ? null : world.PlayerOf(unit.Owner);
        if (unit.Type.Weapons.Count > 0)
        {
            wire.Int(40, player is null ? 0 : Upgrades.AttackLevel(player, unit.Type));
        }

        wire.Int(41, player is null ? 0 : Upgrades.ArmorLevel(player, unit.Type));
        wire.Int(42, player is null ? 0 : Upgrades.ShieldLevel(player, unit.Type));
    }

    private void WriteTimedLife(Unit unit)
    {
        if (unit.Expires > 0)
        {
            wire.Int(43, Math.Max(0, unit.Expires - world.Loop));
            wire.Int(44, unit.ExpiresAfter);
        }
    }

    private void WriteRallies(Unit unit)
    {
        foreach (var rally in unit.Rallies)
        {
            var start = wire.Begin(45);
            wire.Point2(1, window.X(rally.X), window.Y(rally.Y));
            if (rally.Target is { Alive: true } target)
            {
                wire.UInt(2, target.Tag);
            }

            wire.End(start);
        }
    }
}
