using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Simulator.Pathing;

namespace Sc2Bridge.Games;

/// <summary>
/// Answers questions about paths and placements from the map's grids and the current observation. The game itself knows
/// more, so its answers may differ. Not thread-safe.
/// </summary>
/// <remarks>
/// Paths are for small units. The shortest path from cell to cell is found, and then straightened. A building needs placeable cells without visible
/// buildings or resources. A refinery needs its geyser, Zerg buildings need creep, other buildings need ground without creep, and Protoss
/// buildings need a power source. The answers ignore the distance of a town hall to resources, moving units, requirements,
/// and hidden objects. They also ignore ground that has become free since the match began: GameInfo's grid stays as it was at the
/// beginning, and in it the player's own town hall and the resources are not free.
/// </remarks>
internal sealed class TerrainQueries
{
    private const uint Nexus = 59;
    private const uint Pylon = 60;
    private const uint Hatchery = 86;

    private readonly BlockingShapes _shapes;
    private readonly BlockingUnits _blocking;
    private ResponseObservation _observation = new();
    private ulong? _step;

    /// <summary>Reads a match's grids.</summary>
    /// <exception cref="RefusedException">The grids are missing or cannot be read.</exception>
    public TerrainQueries(ResponseGameInfo info, ResponseData data) =>
        (_shapes, _blocking) = (new BlockingShapes(data), BlockingUnits.Of(info));

    /// <summary>Loads a step's observation. Later answers are for this step.</summary>
    /// <param name="step">The step. If this step is loaded already, nothing is read.</param>
    /// <param name="observation">The step's observation, a serialized ResponseObservation.</param>
    /// <exception cref="RefusedException">The observation cannot be read.</exception>
    public void MoveTo(ulong step, ReadOnlySpan<byte> observation)
    {
        if (_step == step)
        {
            return;
        }

        try
        {
            _observation = ResponseObservation.Parser.ParseFrom(observation);
        }
        catch (Google.Protobuf.InvalidProtocolBufferException malformed)
        {
            throw new RefusedException($"The recorded observation of step {step} cannot be read ({malformed.Message}): record the match again");
        }

        _blocking.Load(_observation.Observation?.RawData, _shapes);
        _step = step;
    }

    /// <summary>The length of a path.</summary>
    public ResponseQueryPathing PathLength(RequestQueryPathing asked) => PathingQueries.Answer(
        asked,
        _blocking.Paths,
        place => _blocking.Grid.PlaceAt(place.X, place.Y),
        tag => _blocking.Find(tag) is { } unit && PlaceOf(unit) is var (x, y) ? (x, y, unit.IsFlying) : null);

    /// <summary>Whether something can be placed.</summary>
    public ResponseQueryBuildingPlacement Placement(RequestQueryBuildingPlacement asked, bool ignoreResources) =>
        new() { Result = CheckPlacement(asked, ignoreResources) };

    private ActionResult CheckPlacement(RequestQueryBuildingPlacement asked, bool ignoreResources)
    {
        var made = _shapes.MadeBy(asked.AbilityId);
        var shape = _shapes.FootprintFor(asked.AbilityId, out var isAddOn);
        if (!PathingQueries.IsPlace(asked.TargetPos) || (made is null && shape is null))
        {
            return ActionResult.Error;
        }

        if (!ignoreResources && made is not null && CheckCost(made) is not ActionResult.Success and var lacking)
        {
            return lacking;
        }

        var (x, y) = _blocking.Grid.PlaceAt(asked.TargetPos.X, asked.TargetPos.Y);
        if (shape is null)
        {
            return _blocking.FitsUnit(x, y) ? CheckPower(made, x, y) : ActionResult.CantBuildLocationInvalid;
        }

        (x, y) = isAddOn ? Footprint.Three.Snap(x, y) : shape.Snap(x, y);
        if (made?.HasVespene == true)
        {
            return HasFreeGeyser(x, y) ? ActionResult.Success : ActionResult.CantBuildLocationInvalid;
        }

        if (isAddOn)
        {
            return CheckAddOnSpace(asked.PlacingUnitTag, x, y);
        }

        return !_blocking.Fits(shape, x, y) ? ActionResult.CantBuildLocationInvalid
            : CheckCreep(made, shape, x, y) is not ActionResult.Success and var refusal ? refusal
            : CheckPower(made, x, y);
    }

    private ActionResult CheckCost(UnitTypeData made) => _observation.Observation?.PlayerCommon switch
    {
        null => ActionResult.Success,
        var player when player.Minerals < made.MineralCost => ActionResult.NotEnoughMinerals,
        var player when player.Vespene < made.VespeneCost => ActionResult.NotEnoughVespene,
        _ => ActionResult.Success,
    };

    // The building and its add-on need free cells. If the building stays in its place, only the add-on needs free cells.
    private ActionResult CheckAddOnSpace(ulong building, int x, int y)
    {
        var staysInPlace = _blocking.Find(building) is { IsFlying: false } unit
            && PlaceOf(unit) is var (unitX, unitY) && Footprint.Three.Snap(unitX, unitY) == (x, y);
        return (staysInPlace || _blocking.Fits(Footprint.Three, x, y))
            && _blocking.Fits(Footprint.Two, x + Footprint.AddOnX, y + Footprint.AddOnY)
            ? ActionResult.Success
            : ActionResult.CantBuildLocationInvalid;
    }

    private bool HasFreeGeyser(int x, int y)
    {
        var geysers = _blocking.Units.Where(unit => _shapes.DataOf(unit.UnitType)?.HasVespene == true
            && PlaceOf(unit) is var (unitX, unitY)
            && Math.Abs(unitX - x) < CellGrid.Cell && Math.Abs(unitY - y) < CellGrid.Cell).ToList();
        return geysers.Count > 0 && geysers.All(unit => unit.Alliance == Alliance.Neutral);
    }

    private ActionResult CheckCreep(UnitTypeData? made, Footprint shape, int x, int y)
    {
        if (made is null or { UnitId: Hatchery } || _observation.Observation?.RawData?.MapState?.Creep is not { } creep)
        {
            return ActionResult.Success;
        }

        var bits = BlockingUnits.UnpackBits(creep, _blocking.Grid);
        var cells = shape.Cells(_blocking.Grid, x, y);
        return made.Race == Race.Zerg
            ? cells.All(cell => bits[cell]) ? ActionResult.Success : ActionResult.CantBuildTooFarFromCreepSource
            : cells.Any(cell => bits[cell]) ? ActionResult.CantBuildLocationInvalid : ActionResult.Success;
    }

    private ActionResult CheckPower(UnitTypeData? made, int x, int y)
    {
        if (made is not { Race: Race.Protoss } or { UnitId: Nexus or Pylon })
        {
            return ActionResult.Success;
        }

        var sources = _observation.Observation?.RawData?.Player?.PowerSources ?? [];
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
