using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Pathing;

namespace Sc2Bridge.Games;

/// <summary>
/// Answers for ways and placements from the map's grids and what the current observation shows: not the game's own
/// answers, which knows of more. Not thread-safe.
/// </summary>
/// <remarks>
/// A way is the shortest for a small unit from cell to cell, drawn straight. A building needs placeable cells on which
/// nothing is shown to stand, a refinery its geyser, Zerg buildings creep and the others none, Protoss ones a power
/// source. Not known are: how near to resources a town hall is, units in the way, requirements, what nobody sees, and
/// ground that has become free since the match began (GameInfo's grid has the own town hall and resources on it).
/// </remarks>
internal sealed class TerrainQueries
{
    private const uint Nexus = 59;
    private const uint Pylon = 60;
    private const uint Hatchery = 86;

    private readonly BlockingShapes _shapes;
    private readonly BlockingUnits _blocking;
    private ResponseObservation _now = new();
    private ulong? _step;

    /// <summary>For a match.</summary>
    /// <exception cref="RefusedException">It has no grids that can be read.</exception>
    public TerrainQueries(ResponseGameInfo info, ResponseData data) =>
        (_shapes, _blocking) = (new BlockingShapes(data), BlockingUnits.Of(info));

    /// <summary>Answers for a step from now on.</summary>
    /// <param name="step">The step; nothing is read anew for the one that is current.</param>
    /// <param name="observation">Its serialized ResponseObservation.</param>
    /// <exception cref="RefusedException">It is none.</exception>
    public void MoveTo(ulong step, ReadOnlySpan<byte> observation)
    {
        if (_step == step)
        {
            return;
        }

        try
        {
            _now = ResponseObservation.Parser.ParseFrom(observation);
        }
        catch (Google.Protobuf.InvalidProtocolBufferException malformed)
        {
            throw new RefusedException($"The recorded observation cannot be read: {malformed.Message}");
        }

        _blocking.Take(_now.Observation?.RawData, _shapes);
        _step = step;
    }

    /// <summary>How long a way is.</summary>
    public ResponseQueryPathing Way(RequestQueryPathing asked) => PathingQueries.Answer(
        asked,
        _blocking.Ways,
        place => _blocking.Grid.PlaceAt(place.X, place.Y),
        tag => _blocking.Find(tag) is { } unit && PlaceOf(unit) is var (x, y) ? (x, y, unit.IsFlying) : null);

    /// <summary>Whether something can be placed.</summary>
    public ResponseQueryBuildingPlacement Placement(RequestQueryBuildingPlacement asked, bool ignoreResources) =>
        new() { Result = Judge(asked, ignoreResources) };

    private ActionResult Judge(RequestQueryBuildingPlacement asked, bool ignoreResources)
    {
        var made = _shapes.MadeBy(asked.AbilityId);
        var shape = _shapes.Needs(asked.AbilityId, out var isAddOn);
        if (!PathingQueries.IsPlace(asked.TargetPos) || (made is null && shape is null))
        {
            return ActionResult.Error;
        }

        if (!ignoreResources && made is not null && Price(made) is not ActionResult.Success and var lacking)
        {
            return lacking;
        }

        var (x, y) = _blocking.Grid.PlaceAt(asked.TargetPos.X, asked.TargetPos.Y);
        if (shape is null)
        {
            return _blocking.FitsUnit(x, y) ? Power(made, x, y) : ActionResult.CantBuildLocationInvalid;
        }

        (x, y) = isAddOn ? Footprint.Three.Snap(x, y) : shape.Snap(x, y);
        if (made?.HasVespene == true)
        {
            return HasFreeGeyser(x, y) ? ActionResult.Success : ActionResult.CantBuildLocationInvalid;
        }

        if (isAddOn)
        {
            return WithAddOn(asked.PlacingUnitTag, x, y);
        }

        return !_blocking.Fits(shape, x, y) ? ActionResult.CantBuildLocationInvalid
            : Creep(made, shape, x, y) is not ActionResult.Success and var refusal ? refusal
            : Power(made, x, y);
    }

    private ActionResult Price(UnitTypeData made) => _now.Observation?.PlayerCommon switch
    {
        null => ActionResult.Success,
        var player when player.Minerals < made.MineralCost => ActionResult.NotEnoughMinerals,
        var player when player.Vespene < made.VespeneCost => ActionResult.NotEnoughVespene,
        _ => ActionResult.Success,
    };

    // A building with room for its add-on; the building's own ground is free for itself.
    private ActionResult WithAddOn(ulong building, int x, int y)
    {
        var stays = _blocking.Find(building) is { IsFlying: false } unit
            && PlaceOf(unit) is var (unitX, unitY) && Footprint.Three.Snap(unitX, unitY) == (x, y);
        return (stays || _blocking.Fits(Footprint.Three, x, y))
            && _blocking.Fits(Footprint.Two, x + Footprint.AddOnX, y + Footprint.AddOnY)
            ? ActionResult.Success
            : ActionResult.CantBuildLocationInvalid;
    }

    private bool HasFreeGeyser(int x, int y)
    {
        var here = _blocking.Units.Where(unit => _shapes.Type(unit.UnitType)?.HasVespene == true
            && PlaceOf(unit) is var (unitX, unitY)
            && Math.Abs(unitX - x) < CellGrid.Cell && Math.Abs(unitY - y) < CellGrid.Cell).ToList();
        return here.Count > 0 && here.All(unit => unit.Alliance == Alliance.Neutral);
    }

    private ActionResult Creep(UnitTypeData? made, Footprint shape, int x, int y)
    {
        if (made is null or { UnitId: Hatchery } || _now.Observation?.RawData?.MapState?.Creep is not { } creep)
        {
            return ActionResult.Success;
        }

        var bits = BlockingUnits.Bits(creep, _blocking.Grid);
        var cells = shape.Cells(_blocking.Grid, x, y);
        return made.Race == Race.Zerg
            ? cells.All(cell => bits[cell]) ? ActionResult.Success : ActionResult.CantBuildTooFarFromCreepSource
            : cells.Any(cell => bits[cell]) ? ActionResult.CantBuildLocationInvalid : ActionResult.Success;
    }

    private ActionResult Power(UnitTypeData? made, int x, int y)
    {
        if (made is not { Race: Race.Protoss } or { UnitId: Nexus or Pylon })
        {
            return ActionResult.Success;
        }

        var sources = _now.Observation?.RawData?.Player?.PowerSources ?? [];
        return sources.Any(source => source.Pos is { } at && Reaches(at, source.Radius))
            ? ActionResult.Success
            : ActionResult.CantBuildTooFarFromBuildPowerSource;

        bool Reaches(Point at, float radius)
        {
            var (dx, dy) = (at.X - (x / (float)CellGrid.Cell), at.Y - (y / (float)CellGrid.Cell));
            return (dx * dx) + (dy * dy) <= radius * radius;
        }
    }

    private (int X, int Y) PlaceOf(Unit unit) => _blocking.Grid.PlaceAt(unit.Pos.X, unit.Pos.Y);
}
