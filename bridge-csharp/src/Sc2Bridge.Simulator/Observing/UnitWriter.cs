using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>Writes units (ObservationRaw.units) that one viewer sees.</summary>
/// <remarks>
/// Own and neutral units have exactly the fields of the real messages at hand. Enemies and an observer's view
/// follow s2client-proto's comments ("not populated for enemies", "not populated for snapshots") and are not verified.
/// </remarks>
internal readonly ref struct UnitWriter(ViewPoint view, InterfaceOptions options)
{
    // The life that the game reports for mineral fields and geysers, which cannot be damaged.
    internal const int ResourceLife = 10000;

    private readonly WireWriter _wire = view.Wire;
    private readonly GameWorld _world = view.World;
    private readonly MapWindow _window = view.Window;
    private readonly int _perspective = view.Viewer;

    /// <summary>Writes a unit if the viewer sees it, fully or as hidden.</summary>
    public void Write(Unit unit, bool disableFog)
    {
        switch (view.ShownAs(unit, options, disableFog))
        {
            case DisplayType.Visible:
                WriteVisible(unit);
                break;
            case DisplayType.Hidden:
                SnapshotUnitWriter.WriteHidden(view, unit);
                break;
        }
    }

    /// <summary>The first buff that is reported for a unit; 0 if it has no buff.</summary>
    public static int FirstBuff(Unit unit) => unit.Buffs.Count > 0 ? unit.Buffs[0].Id : LoadOf(unit);

    private void WriteVisible(Unit unit)
    {
        var type = unit.Type;
        var neutral = unit.Owner == GameWorld.Neutral;
        var detailed = !neutral && (unit.Owner == _perspective || _perspective == 0);
        var start = _wire.Begin(2);
        _wire.Number(1, (ulong)DisplayType.Visible);
        view.WriteName(unit, unit.Tag, type);
        view.WritePlace(unit.X, unit.Y, unit.Flying);
        view.WriteShape(type, unit.Facing, ViewPoint.ProgressOf(unit, unit.BuildLeft));
        _wire.Number(10, (ulong)view.CloakOf(unit));
        _wire.Bool(11, view.IsSelected(unit));
        _wire.Bool(12, view.OnScreen(unit.X, unit.Y));
        _wire.Bool(13, false);
        var untouchable = type.Is(Kind.Minerals | Kind.Geyser);
        _wire.Real(14, untouchable ? ResourceLife : unit.Health / 256f);
        _wire.Real(15, untouchable ? ResourceLife : unit.MostHealth / 256f);
        _wire.Real(16, unit.Shield / 256f);
        _wire.Real(17, unit.Energy / 256f);
        if (type.Is(Kind.Minerals))
        {
            _wire.Number(18, unit.Contents);
        }
        else if (type.Is(Kind.Geyser) || type.Is(Kind.Refinery))
        {
            _wire.Number(19, type.Is(Kind.Refinery) ? unit.Home?.Contents ?? unit.Contents : unit.Contents);
        }

        _wire.Bool(20, type.Is(Kind.Flying));
        _wire.Bool(21, type.Is(Kind.Burrowed));
        var active = detailed && OrderWriter.Write(_wire, _window, unit);
        if (detailed)
        {
            WriteAddOnAndCargo(unit);
        }

        foreach (var (buff, _) in unit.Buffs)
        {
            _wire.Number(27, buff);
        }

        WriteLoad(unit);
        if (detailed)
        {
            _wire.Number(28, unit.Harvesters);
            _wire.Number(29, IdealHarvesters(unit));
            if (type.Weapons.Length > 0)
            {
                // Clients read 0 as ready. The world carries parts of a loop over as negative values.
                _wire.Real(30, Math.Max(0, unit.WeaponLeft) / 256f);
            }
        }

        WriteRanges(unit, detailed);
        _wire.Real(36, type.Shield);
        _wire.Real(37, type.Energy);
        _wire.Bool(38, view.KnowsHallucination(unit));
        _wire.Bool(39, detailed ? active : !neutral && unit.Orders.Count + unit.Queue.Count > 0);
        WriteLevels(unit, neutral);
        if (detailed)
        {
            WriteTimedLife(unit);
            WriteRallies(unit);
        }

        _wire.End(start);
    }

    private void WriteAddOnAndCargo(Unit unit)
    {
        if (unit.AddOn is { } addOn && !unit.Type.Is(Kind.AddOn))
        {
            _wire.Number(23, addOn.Tag);
        }

        foreach (var passenger in unit.Passengers)
        {
            var start = _wire.Begin(24);
            _wire.Number(1, passenger.Tag);
            _wire.Real(2, passenger.Health / 256f);
            _wire.Real(3, passenger.MostHealth / 256f);
            _wire.Real(4, passenger.Shield / 256f);
            _wire.Real(5, passenger.Energy / 256f);
            _wire.Number(6, passenger.Type.Id);
            _wire.Real(7, passenger.Type.Shield);
            _wire.Real(8, passenger.Type.Energy);
            _wire.End(start);
        }

        // In real messages, a command center without passengers does not have these fields.
        if (unit.Type.CargoSpace > 0 && (unit.Passengers.Count > 0 || !unit.Type.Is(Kind.TownHall)))
        {
            _wire.Number(25, unit.Passengers.Sum(p => p.Type.CargoSize));
            _wire.Number(26, unit.CargoSpace);
        }
    }

    // A worker's load is reported as a buff: carryMineralFieldMinerals, carryHighYieldMineralFieldMinerals and others.
    private void WriteLoad(Unit unit)
    {
        if (unit.Load != Load.None)
        {
            _wire.Number(27, LoadOf(unit));
        }
    }

    private static int LoadOf(Unit unit) => unit.Load switch
    {
        Load.None => 0,
        Load.Minerals => BuffId.CarryMineralFieldMinerals,
        Load.RichMinerals => BuffId.CarryHighYieldMineralFieldMinerals,
        _ => unit.Type.Race switch
        {
            Race.Terran => BuffId.CarryHarvestableVespeneGeyserGas,
            Race.Protoss => BuffId.CarryHarvestableVespeneGeyserGasProtoss,
            _ => BuffId.CarryHarvestableVespeneGeyserGasZerg,
        },
    };

    private static int IdealHarvesters(Unit unit) => !unit.Finished ? 0
        : unit.Type.Is(Kind.Refinery) ? (unit.Home?.Contents ?? unit.Contents) > 0 ? 3 : 0
        : unit.Type.Is(Kind.TownHall) ? unit.IdealHarvesters : 0;

    private void WriteRanges(Unit unit, bool detailed)
    {
        if (unit.Type.DetectionRange > 0 && unit.Finished)
        {
            _wire.Real(31, unit.Type.DetectionRange / (float)Geometry.Cell);
        }

        if (unit.Type.Radar > 0 && unit.Finished)
        {
            _wire.Real(32, unit.Type.Radar);
        }

        if (detailed && unit.Engaged is { Alive: true } engaged)
        {
            _wire.Number(34, engaged.Tag);
        }

        // In real messages, buildings and workers with a load have this field.
        if (unit.Type.Is(Kind.Structure) || unit.Load != Load.None)
        {
            _wire.Bool(35, unit.Powered);
        }
    }

    private void WriteLevels(Unit unit, bool neutral)
    {
        var player = neutral ? null : _world.PlayerOf(unit.Owner);
        if (unit.Type.Weapons.Length > 0)
        {
            _wire.Number(40, player is null ? 0 : Upgrades.AttackLevel(player, unit.Type));
        }

        _wire.Number(41, player is null ? 0 : Upgrades.ArmorLevel(player, unit.Type));
        _wire.Number(42, player is null ? 0 : Upgrades.ShieldLevel(player, unit.Type));
    }

    private void WriteTimedLife(Unit unit)
    {
        if (unit.Expires > 0)
        {
            _wire.Number(43, Math.Max(0, unit.Expires - _world.Loop));
            _wire.Number(44, unit.ExpiresAfter);
        }
    }

    private void WriteRallies(Unit unit)
    {
        foreach (var rally in unit.Rallies)
        {
            var start = _wire.Begin(45);
            _wire.Point2(1, _window.X(rally.X), _window.Y(rally.Y));
            if (rally.Target is { Alive: true } target)
            {
                _wire.Number(2, target.Tag);
            }

            _wire.End(start);
        }
    }
}
