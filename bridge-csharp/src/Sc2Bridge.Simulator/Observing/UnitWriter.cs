using SC2APIProtocol;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes one unit of an observation (ObservationRaw.units), fields in the order of their numbers.</summary>
internal sealed class UnitWriter(WireWriter wire, GameWorld world)
{
    /// <summary>A resource out of sight: what real messages hold of it, 56 bytes.</summary>
    /// <param name="slot">Whose.</param>
    /// <param name="unit">The same.</param>
    public void WriteSnapshot(int slot, ref Unit unit)
    {
        var start = wire.Begin(2);
        wire.UInt(1, (ulong)DisplayType.Snapshot);
        WriteIdentity(slot, ref unit, Alliance.Neutral);
        wire.UInt(10, (ulong)CloakState.CloakedUnknown);
        wire.Bool(12, false);
        wire.Bool(13, false);
        wire.Bool(35, false);
        wire.End(start);
    }

    /// <summary>A unit in sight: in full where it is the observer's own, or the observer sees as nobody.</summary>
    /// <param name="slot">Whose.</param>
    /// <param name="unit">The same.</param>
    /// <param name="perspective">A player's id, or 0.</param>
    public void Write(int slot, ref Unit unit, int perspective)
    {
        var facts = unit.Facts;
        var neutral = unit.Owner == GameWorld.NeutralOwner;
        var start = wire.Begin(2);
        wire.UInt(1, (ulong)DisplayType.Visible);
        var foreign = neutral ? Alliance.Neutral : Alliance.Enemy;
        WriteIdentity(slot, ref unit, unit.Owner == perspective ? Alliance.Self : foreign);
        wire.UInt(10, (ulong)CloakState.NotCloaked);
        wire.Bool(11, false);
        wire.Bool(12, false);
        wire.Bool(13, false);
        wire.Float(14, unit.Health / 256f);
        wire.Float(15, facts.Health);
        wire.Float(16, unit.Shield / 256f);
        wire.Float(17, unit.Energy / 256f);
        if (neutral && facts.Id is 341 or 483)
        {
            wire.Int(18, unit.Contents);
        }
        else if (facts.Id == 342 || facts.Is(Kind.Gas))
        {
            wire.Int(19, unit.Contents);
        }

        wire.Bool(20, facts.Is(Kind.Flying));
        wire.Bool(21, facts.Id == Creep.TumorId);
        var detailed = !neutral && (unit.Owner == perspective || perspective == 0);
        var active = false;
        if (detailed)
        {
            active = OrderWriter.Write(wire, world, ref unit);
            if (unit.AddOn >= 0 && !facts.Is(Kind.AddOn))
            {
                wire.UInt(23, world.TagOf(unit.AddOn));
            }
        }

        if (unit.Carry > 0)
        {
            wire.Int(27, CarryBuff(ref unit));
        }

        if (detailed)
        {
            if (facts.Is(Kind.Worker | Kind.TownHall | Kind.Gas) || facts.IsArmy)
            {
                wire.Int(28, unit.Harvesters);
                wire.Int(29, facts.Is(Kind.TownHall) ? 16 : facts.Is(Kind.Gas) ? 3 : 0);
            }

            if (facts.Weapons.Length > 0)
            {
                wire.Float(30, unit.Cooldown);
            }

            if (unit.Errand == Errand.Attacking && unit.Target >= 0
                && world.Units[unit.Target] is { Alive: true } target && target.Generation == unit.TargetGeneration)
            {
                wire.UInt(34, world.TagOf(unit.Target));
            }
        }

        if (facts.Is(Kind.Structure))
        {
            wire.Bool(35, false);
        }

        wire.Float(36, facts.Shield);
        wire.Float(37, facts.Energy);
        wire.Bool(38, false);
        wire.Bool(39, active);
        var player = neutral ? null : world.Players[unit.Owner - 1];
        if (!facts.Is(Kind.Structure))
        {
            wire.Int(40, player?.AttackLevel ?? 0);
        }

        wire.Int(41, player?.ArmorLevel ?? 0);
        wire.Int(42, 0);
        if (detailed && facts.Is(Kind.TownHall))
        {
            WriteRally(ref unit);
        }

        wire.End(start);
    }

    private void WriteIdentity(int slot, ref Unit unit, Alliance alliance)
    {
        var facts = unit.Facts;
        wire.UInt(2, (ulong)alliance);
        wire.UInt(3, world.TagOf(slot));
        wire.Int(4, facts.Id);
        wire.Int(5, unit.Owner);
        var z = (world.Map.TerrainHeight[world.Map.CellAt(unit.X, unit.Y)] * 32f / 255f) - 16f;
        wire.Point(6, Cells(unit.X), Cells(unit.Y), facts.Is(Kind.Flying) ? z + 3.75f : z);
        wire.Float(7, unit.Facing * (MathF.Tau / Geometry.Turn));
        wire.Float(8, Cells(facts.Radius));
        wire.Float(9, facts.BuildLoops == 0 || unit.Finished ? 1 : 1 - (unit.BuildLeft / (float)facts.BuildLoops));
    }

    /// <summary>The buff of a worker that carries something, with the game's ids.</summary>
    private static int CarryBuff(ref Unit unit) => unit.CarriesGas
        ? unit.Facts.Race switch { Race.Terran => 273, Race.Protoss => 274, _ => 275 }
        : 271;

    private void WriteRally(ref Unit unit)
    {
        var (x, y) = world.Map.Bases[unit.Base].Minerals[3];
        var rally = wire.Begin(45);
        wire.Point(1, Cells(x), Cells(y), 0);
        wire.End(rally);
    }

    private static float Cells(int length) => length / (float)Geometry.Cell;
}
