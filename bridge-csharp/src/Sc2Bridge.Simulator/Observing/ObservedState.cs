using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// A unit in an <see cref="ObservedState"/>, with the values of the same fields in the observation's message. A field that is missing
/// in the message is 0.
/// </summary>
public struct ObservedUnit
{
    /// <summary>The unit's tag.</summary>
    public ulong Tag { get; set; }

    /// <summary>The id of its type.</summary>
    public uint Type { get; set; }

    /// <summary>Whose unit it is.</summary>
    public Alliance Alliance { get; set; }

    /// <summary>How it is cloaked.</summary>
    public CloakState Cloak { get; set; }

    /// <summary>Its position in cells.</summary>
    public float X { get; set; }

    /// <summary>Its position in cells.</summary>
    public float Y { get; set; }

    /// <summary>Its direction in radians.</summary>
    public float Facing { get; set; }

    /// <summary>Its radius in cells.</summary>
    public float Radius { get; set; }

    /// <summary>From 0 to 1.</summary>
    public float BuildProgress { get; set; }

    /// <summary>Game loops until its weapon is ready.</summary>
    public float WeaponCooldown { get; set; }

    /// <summary>Its health in points.</summary>
    public float Health { get; set; }

    /// <summary>The limit of its health.</summary>
    public float HealthMax { get; set; }

    /// <summary>Its shield in points.</summary>
    public float Shield { get; set; }

    /// <summary>The limit of its shield.</summary>
    public float ShieldMax { get; set; }

    /// <summary>Its energy in points.</summary>
    public float Energy { get; set; }

    /// <summary>The limit of its energy.</summary>
    public float EnergyMax { get; set; }

    /// <summary>Whether it flies.</summary>
    public bool IsFlying { get; set; }

    /// <summary>Whether it has an order, a product or a morph. False for units of others.</summary>
    public bool HasOrders { get; set; }

    /// <summary>Health and shield.</summary>
    public readonly float Points => Health + Shield;
}

/// <summary>
/// The parts of an observation that learners need, straight from the world, without a message. The object and its arrays are used again
/// for later observations. Not thread-safe.
/// </summary>
public sealed class ObservedState
{
    private readonly List<World.Unit> _towers = [];
    private ObservedUnit[] _units = new ObservedUnit[32];
    private int _count;

    /// <summary>The units in the order of the message.</summary>
    public ReadOnlySpan<ObservedUnit> Units => _units.AsSpan(0, _count);

    /// <summary>Minerals, vespene, supply used, supply cap, workers' supply, idle workers, army units.</summary>
    public uint[] Player { get; } = new uint[7];

    /// <summary>The game loop.</summary>
    public uint GameLoop { get; private set; }

    /// <summary>The total of the score.</summary>
    public int Score { get; private set; }

    /// <summary>The tags of units that died since the last observation.</summary>
    public HashSet<ulong> Dead { get; } = [];

    /// <summary>The player's result; null while the match runs.</summary>
    public Result? Result { get; private set; }

    /// <summary>Reads what a player observes. Changes nothing in the world.</summary>
    /// <param name="view">The player's view.</param>
    /// <param name="options">The interfaces of the player's observations.</param>
    /// <param name="disableFog">Whether the player sees everything.</param>
    /// <param name="omitResults">Whether the result is left out although the match has ended.</param>
    internal void Read(ViewPoint view, InterfaceOptions options, bool disableFog, bool omitResults)
    {
        var (world, player) = (view.World, view.World.PlayerOf(view.Viewer));
        (_count, GameLoop) = (0, (uint)world.Loop);
        Score = (int)ScoreWriter.TotalOf(world, player);
        Result = world.Ended && !omitResults ? player.Result : null;
        Dead.Clear();
        Dead.UnionWith(world.EventsOf(view.Viewer).Dead);
        var tally = PlayerTally.Of(world, view.Viewer);
        Player[0] = (uint)player.Minerals;
        Player[1] = (uint)player.Vespene;
        Player[2] = (uint)((player.HalfFoodUsed + 1) / 2);
        Player[3] = (uint)player.FoodCap;
        Player[4] = (uint)(tally.HalfWorkers / 2);
        Player[5] = (uint)tally.IdleWorkers;
        Player[6] = (uint)tally.Army;
        foreach (var unit in world.Units)
        {
            if (view.ShownAs(unit, options, disableFog) is { } shown)
            {
                ref var added = ref Add(view, view.AllianceOf(unit), unit.Tag, unit.Type, unit.X, unit.Y);
                Shape(ref added, unit.Type, unit.Facing, ViewPoint.ProgressOf(unit, unit.BuildLeft));
                added.Cloak = CloakState.Cloaked;
                if (shown == DisplayType.Visible)
                {
                    Fill(ref added, view, unit);
                }
            }
        }

        if (!disableFog)
        {
            AddUnseen(view);
        }
    }

    // The values of UnitWriter.
    private static void Fill(ref ObservedUnit added, ViewPoint view, World.Unit unit)
    {
        var type = unit.Type;
        var untouchable = type.Is(Kind.Minerals | Kind.Geyser);
        added.Cloak = view.CloakOf(unit);
        added.Health = untouchable ? UnitWriter.ResourceLife : unit.Health / 256f;
        added.HealthMax = untouchable ? UnitWriter.ResourceLife : unit.MostHealth / 256f;
        added.Shield = unit.Shield / 256f;
        added.ShieldMax = type.Shield;
        added.Energy = unit.Energy / 256f;
        added.EnergyMax = type.Energy;
        added.IsFlying = unit.Flying;
        if (unit.Owner == view.Viewer)
        {
            added.HasOrders = OrderWriter.IsActive(unit);
            added.WeaponCooldown = type.Weapons.Length > 0 ? Math.Max(0, unit.WeaponLeft) / 256f : 0;
        }
    }

    private static void Shape(ref ObservedUnit added, UnitType type, int facing, float progress)
    {
        added.Facing = ViewPoint.FacingOf(facing);
        added.Radius = ViewPoint.RadiusOf(type);
        added.BuildProgress = progress;
    }

    // The values of SnapshotUnitWriter.
    private void AddUnseen(ViewPoint view)
    {
        foreach (var seen in view.World.Vision.SnapshotsOf(view.Viewer))
        {
            ref var added = ref Add(view, view.AllianceOf(seen.Unit), seen.Unit.Tag, seen.Type, seen.X, seen.Y);
            Shape(ref added, seen.Type, seen.Facing, ViewPoint.ProgressOf(seen.Unit, seen.BuildLeft));
            added.Cloak = CloakState.CloakedUnknown;
        }

        foreach (var unit in SnapshotUnitWriter.BlipsOf(view, SnapshotUnitWriter.TowersOf(view.World, view.Viewer, _towers)))
        {
            Add(view, Alliance.Enemy, unit.Tag + 1, null, unit.X, unit.Y).Cloak = CloakState.CloakedUnknown;
        }
    }

    private ref ObservedUnit Add(ViewPoint view, Alliance alliance, ulong tag, UnitType? type, int x, int y)
    {
        if (_count == _units.Length)
        {
            Array.Resize(ref _units, 2 * _count);
        }

        ref var added = ref _units[_count++];
        added = default;
        (added.Alliance, added.Tag, added.Type) = (alliance, tag, (uint)(type?.Id ?? 0));
        (added.X, added.Y) = (view.Window.X(x), view.Window.Y(y));
        return ref added;
    }
}
