using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;

namespace Sc2Bridge.Simulator.World;

/// <summary>Unfinished buildings and warp-ins grow until they are finished.</summary>
internal static class Growth
{
    /// <summary>Whether a unit grows without a worker.</summary>
    public static bool ByItself(Unit unit) => unit.Type.Race != Race.Terran || unit.Type.Is(Kind.AddOn)
        || !unit.Type.Is(Kind.Structure);

    /// <summary>Grows a unit for one loop. Returns true if it is finished.</summary>
    public static bool Loop(GameWorld world, Unit unit)
    {
        if (unit.Finished)
        {
            return true;
        }

        // Life begins at a tenth and grows evenly. Damage during the growth is not healed.
        var gone = unit.BuildLoops - unit.BuildLeft;
        unit.Health += Share(unit.Type.Health, gone, unit.BuildLoops);
        unit.Shield += Share(unit.Type.Shield, gone, unit.BuildLoops);
        if (unit.BuildLeft > 1)
        {
            unit.BuildLeft--;
            return false;
        }

        Finish(world, unit);
        return true;
    }

    private static int Share(int points, int gone, int loops)
    {
        var missing = (long)(points - Math.Min(points, Math.Max(1, points / 10))) * 256;
        return (int)((missing * (gone + 1) / loops) - (missing * gone / loops));
    }

    private static void Finish(GameWorld world, Unit unit)
    {
        unit.Builder = null;
        world.Finish(unit);
        if (unit.Type.Id == UnitId.Gateway)
        {
            unit.Autocast.Add(AbilityId.MorphWarpGate);
        }

        world.EventsOf(unit.Owner).Raise(unit.Type.Is(Kind.AddOn) ? Alert.AddOnComplete
            : unit.Type.Is(Kind.Structure) ? Alert.BuildingComplete
            : Alert.WarpInComplete);
        if (unit.Type.Race == Race.Zerg && unit.Type.Is(Kind.TownHall))
        {
            Larvae.Begin(world, unit);
        }
    }
}
