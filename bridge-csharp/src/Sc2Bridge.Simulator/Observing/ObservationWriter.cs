using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.World;
using Unit = Sc2Bridge.Simulator.World.Unit;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Writes a ResponseObservation of the world straight to the wire, fields in the order of their numbers as the game
/// writes them.
/// </summary>
/// <remarks>
/// Own units carry the fields that the real messages of own units carry, neutral ones in sight and out of sight those of
/// neutral ones. What an observer of all (perspective 0) is answered is not in any message at hand: here every unit is
/// visible in full, the players' units count as enemies, and player_common and score are empty, as they are in replays
/// seen as player 0.
/// </remarks>
internal sealed class ObservationWriter(GameWorld world)
{
    private readonly WireWriter _wire = new();

    /// <summary>The observation as <paramref name="perspective"/> has it; takes the events since the last one.</summary>
    /// <param name="perspective">A player's id, or 0 for all.</param>
    /// <param name="options">Which interfaces were asked for.</param>
    /// <param name="disableFog">Whether everything is seen.</param>
    public ReadOnlySpan<byte> Write(int perspective, InterfaceOptions options, bool disableFog)
    {
        _wire.Clear();
        WriteActions(perspective);
        var observation = _wire.Begin(3);
        WriteCommon(perspective);
        if (options.Score)
        {
            ScoreWriter.Write(_wire, perspective == 0 ? null : world.Players[perspective - 1], world);
        }

        if (options.Raw)
        {
            WriteRaw(perspective, disableFog);
        }

        _wire.UInt(9, (ulong)world.Loop);
        foreach (var (player, alert) in world.Events.Alerts)
        {
            if (player == perspective)
            {
                _wire.UInt(10, (ulong)alert);
            }
        }

        _wire.End(observation);
        WriteResults();
        foreach (var (player, message) in world.Events.Chat)
        {
            var chat = _wire.Begin(5);
            _wire.UInt(1, (ulong)player);
            _wire.Bytes(2, Encoding.UTF8.GetBytes(message));
            _wire.End(chat);
        }

        world.Events.Clear();
        return _wire.Written;
    }

    private void WriteActions(int perspective)
    {
        foreach (var (player, action) in world.Events.Actions)
        {
            if (player == perspective || perspective == 0)
            {
                _wire.Bytes(1, action.ToByteArray());
            }
        }
    }

    private void WriteResults()
    {
        foreach (var player in world.Players)
        {
            if (world.Ended && player.Result is { } outcome)
            {
                var result = _wire.Begin(4);
                _wire.UInt(1, (ulong)player.Id);
                _wire.UInt(2, (ulong)outcome);
                _wire.End(result);
            }
        }
    }

    private void WriteCommon(int perspective)
    {
        var common = _wire.Begin(1);
        _wire.UInt(1, (ulong)perspective);
        var player = perspective == 0 ? null : world.Players[perspective - 1];
        _wire.Int(2, player?.Minerals ?? 0);
        _wire.Int(3, player?.Vespene ?? 0);
        _wire.Int(4, player?.FoodCap ?? 0);
        _wire.Int(5, ((player?.HalfFoodUsed ?? 0) + 1) / 2);
        _wire.Int(6, ((player?.HalfFoodUsed ?? 0) - (player?.HalfFoodWorkers ?? 0) + 1) / 2);
        _wire.Int(7, (player?.HalfFoodWorkers ?? 0) / 2);
        var (idle, army, larva) = Tally(perspective);
        _wire.Int(8, idle);
        _wire.Int(9, army);
        _wire.Int(10, 0);
        _wire.Int(11, larva);
        _wire.End(common);
    }

    private (int IdleWorkers, int Army, int Larva) Tally(int perspective)
    {
        var (idle, army, larva) = (0, 0, 0);
        for (var slot = 0; perspective != 0 && slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (unit.Alive && unit.Owner == perspective)
            {
                idle += unit.Facts.Is(Kind.Worker) && unit.Errand == Errand.Idle ? 1 : 0;
                army += unit.Facts.IsArmy ? 1 : 0;
                larva += unit.Facts.Id == Production.LarvaId ? 1 : 0;
            }
        }

        return (idle, army, larva);
    }

    private void WriteRaw(int perspective, bool disableFog)
    {
        var raw = _wire.Begin(5);
        var own = _wire.Begin(1);
        var start = world.Map.Bases[world.Map.Starts[Math.Max(0, perspective - 1)]];
        _wire.Point(2, Cells(start.X), Cells(start.Y), 0);
        if (perspective != 0)
        {
            foreach (var upgrade in world.Players[perspective - 1].Upgrades)
            {
                _wire.Int(3, upgrade);
            }
        }

        _wire.End(own);
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (!unit.Alive)
            {
                continue;
            }

            var mine = unit.Owner == perspective;
            var sees = disableFog || mine || world.Vision.Sees(perspective, unit.X, unit.Y);
            if (sees)
            {
                WriteUnit(slot, ref unit, perspective);
            }
            else if (unit.Owner == GameWorld.NeutralOwner)
            {
                WriteSnapshot(slot, ref unit);
            }
        }

        WriteMapState(perspective);
        if (world.Events.Dead.Count > 0)
        {
            var events = _wire.Begin(4);
            foreach (var tag in world.Events.Dead)
            {
                _wire.UInt(1, tag);
            }

            _wire.End(events);
        }

        _wire.End(raw);
    }

    private void WriteMapState(int perspective)
    {
        var state = _wire.Begin(3);
        WriteImage(1, 8, world.Vision.Of(perspective));
        WriteImage(2, 1, world.Creep.Bits);
        _wire.End(state);
    }

    private void WriteImage(int field, int bits, ReadOnlySpan<byte> data)
    {
        var image = _wire.Begin(field);
        _wire.Int(1, bits);
        var size = _wire.Begin(2);
        _wire.Int(1, world.Map.Width);
        _wire.Int(2, world.Map.Height);
        _wire.End(size);
        _wire.Bytes(3, data);
        _wire.End(image);
    }

    /// <summary>A resource out of sight: what real messages hold of it, 56 bytes.</summary>
    private void WriteSnapshot(int slot, ref Unit unit)
    {
        var start = _wire.Begin(2);
        _wire.UInt(1, (ulong)DisplayType.Snapshot);
        WriteIdentity(slot, ref unit, Alliance.Neutral);
        _wire.UInt(10, (ulong)CloakState.CloakedUnknown);
        _wire.Bool(12, false);
        _wire.Bool(13, false);
        _wire.Bool(35, false);
        _wire.End(start);
    }

    private void WriteIdentity(int slot, ref Unit unit, Alliance alliance)
    {
        var facts = unit.Facts;
        _wire.UInt(2, (ulong)alliance);
        _wire.UInt(3, world.TagOf(slot));
        _wire.Int(4, facts.Id);
        _wire.Int(5, unit.Owner);
        var z = (world.Map.TerrainHeight[world.Map.CellAt(unit.X, unit.Y)] * 32f / 255f) - 16f;
        _wire.Point(6, Cells(unit.X), Cells(unit.Y), facts.Is(Kind.Flying) ? z + 3.75f : z);
        _wire.Float(7, unit.Facing * (MathF.Tau / Geometry.Turn));
        _wire.Float(8, Cells(facts.Radius));
        _wire.Float(9, facts.BuildLoops == 0 || unit.Finished ? 1 : 1 - (unit.BuildLeft / (float)facts.BuildLoops));
    }

    private void WriteUnit(int slot, ref Unit unit, int perspective)
    {
        var facts = unit.Facts;
        var neutral = unit.Owner == GameWorld.NeutralOwner;
        var start = _wire.Begin(2);
        _wire.UInt(1, (ulong)DisplayType.Visible);
        WriteIdentity(slot, ref unit, neutral ? Alliance.Neutral : unit.Owner == perspective ? Alliance.Self : Alliance.Enemy);
        _wire.UInt(10, (ulong)CloakState.NotCloaked);
        _wire.Bool(11, false);
        _wire.Bool(12, false);
        _wire.Bool(13, false);
        _wire.Float(14, unit.Health / 256f);
        _wire.Float(15, facts.Health);
        _wire.Float(16, unit.Shield / 256f);
        _wire.Float(17, unit.Energy / 256f);
        if (neutral && facts.Id is 341 or 483)
        {
            _wire.Int(18, unit.Contents);
        }
        else if (facts.Id == 342 || facts.Is(Kind.Gas))
        {
            _wire.Int(19, unit.Contents);
        }

        _wire.Bool(20, facts.Is(Kind.Flying));
        _wire.Bool(21, facts.Id == Creep.TumorId);
        var detailed = !neutral && (unit.Owner == perspective || perspective == 0);
        var active = false;
        if (detailed)
        {
            active = OrderWriter.Write(_wire, world, ref unit);
            if (unit.AddOn >= 0 && !facts.Is(Kind.AddOn))
            {
                _wire.UInt(23, world.TagOf(unit.AddOn));
            }
        }

        if (unit.Carry > 0)
        {
            _wire.Int(27, CarryBuff(ref unit));
        }

        if (detailed)
        {
            if (facts.Is(Kind.Worker | Kind.TownHall | Kind.Gas) || facts.IsArmy)
            {
                _wire.Int(28, unit.Harvesters);
                _wire.Int(29, facts.Is(Kind.TownHall) ? 16 : facts.Is(Kind.Gas) ? 3 : 0);
            }

            if (facts.Weapons.Length > 0)
            {
                _wire.Float(30, unit.Cooldown);
            }

            if (unit.Errand == Errand.Attacking && unit.Target >= 0
                && world.Units[unit.Target] is { Alive: true } target && target.Generation == unit.TargetGeneration)
            {
                _wire.UInt(34, world.TagOf(unit.Target));
            }
        }

        if (facts.Is(Kind.Structure))
        {
            _wire.Bool(35, false);
        }

        _wire.Float(36, facts.Shield);
        _wire.Float(37, facts.Energy);
        _wire.Bool(38, false);
        _wire.Bool(39, active);
        var player = neutral ? null : world.Players[unit.Owner - 1];
        if (!facts.Is(Kind.Structure))
        {
            _wire.Int(40, player?.AttackLevel ?? 0);
        }

        _wire.Int(41, player?.ArmorLevel ?? 0);
        _wire.Int(42, 0);
        if (detailed && facts.Is(Kind.TownHall))
        {
            WriteRally(ref unit);
        }

        _wire.End(start);
    }

    /// <summary>The buff of a worker that carries something, with the game's ids.</summary>
    private static int CarryBuff(ref Unit unit) => unit.CarriesGas
        ? unit.Facts.Race switch { Race.Terran => 273, Race.Protoss => 274, _ => 275 }
        : 271;

    private void WriteRally(ref Unit unit)
    {
        var (x, y) = world.Map.Bases[unit.Base].Minerals[3];
        var rally = _wire.Begin(45);
        _wire.Point(1, Cells(x), Cells(y), 0);
        _wire.End(rally);
    }

    private static float Cells(int length) => length / (float)Geometry.Cell;
}
