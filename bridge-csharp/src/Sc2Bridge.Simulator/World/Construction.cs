using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// Workers put buildings up: a Terran one stays until it stands, a drone becomes it, a probe only begins it.
/// </summary>
internal static class Construction
{
    private const int GiveUp = 1600; // 100 s: no way on a map takes longer

    /// <summary>Sends a worker to build; the cost is paid now.</summary>
    /// <returns>False where the store does not reach.</returns>
    public static bool Order(GameWorld world, int slot, UnitFacts type, int atBase, int spot, int x, int y)
    {
        ref var unit = ref world.Units[slot];
        var player = world.Players[unit.Owner - 1];
        if (!player.Pay(type.Minerals, type.Vespene))
        {
            return false;
        }

        Workers.Leave(world, ref unit);
        player.Count[type.Index]++;
        unit.Errand = Errand.ToSite;
        unit.Timer = 0;
        unit.Product = type.Index;
        unit.Base = atBase;
        unit.Spot = spot;
        (unit.GoalX, unit.GoalY) = (x, y);
        if (spot >= 0)
        {
            world.SpotTaken[atBase][spot] = true;
        }

        world.Events.Actions.Add((player.Id, OrderedAction(world, slot, type, x, y)));
        return true;
    }

    public static void Update(GameWorld world, int slot, ref Unit unit)
    {
        if (unit.Errand == Errand.ToSite)
        {
            if (Movement.Towards(world, ref unit, unit.GoalX, unit.GoalY, Geometry.Cell))
            {
                Begin(world, slot);
            }
            else if (++unit.Timer > GiveUp)
            {
                Abandon(world, ref unit);
            }

            return;
        }

        var site = unit.Target;
        if (!world.Units[site].Alive || world.Units[site].Generation != unit.TargetGeneration
            || world.Units[site].Finished)
        {
            unit.Target = -1;
            unit.Errand = Errand.Idle;
        }
    }

    /// <summary>Gives up a building that was not reached; its cost comes back.</summary>
    private static void Abandon(GameWorld world, ref Unit unit)
    {
        var player = world.Players[unit.Owner - 1];
        var type = UnitTable.All[unit.Product];
        Production.Cancel(player, unit.Product);
        player.Minerals += type.Minerals;
        player.Vespene += type.Vespene;
        player.SpentMinerals -= type.Minerals;
        player.SpentVespene -= type.Vespene;
        if (unit.Spot >= 0)
        {
            world.SpotTaken[unit.Base][unit.Spot] = false;
        }

        unit.Spot = -1;
        unit.Product = -1;
        unit.Errand = Errand.Idle;
    }

    private static void Begin(GameWorld world, int slot)
    {
        var worker = world.Units[slot];
        var type = UnitTable.All[worker.Product];
        var player = world.Players[worker.Owner - 1];
        Production.Cancel(player, worker.Product);
        ref var unit = ref world.Units[slot];
        unit.Product = -1;
        unit.Spot = -1;
        if (player.Race == Race.Zerg)
        {
            world.Remove(slot, died: false);
        }

        var site = world.Add(type, worker.Owner, worker.GoalX, worker.GoalY, type.BuildLoops);
        ref var building = ref world.Units[site];
        building.Base = worker.Base;
        building.Spot = worker.Spot;
        if (type.Is(Kind.Gas))
        {
            building.Contents = 2250;
        }

        // The array of units may have grown.
        unit = ref world.Units[slot];
        if (player.Race == Race.Terran)
        {
            unit.Errand = Errand.Building;
            unit.Target = site;
            unit.TargetGeneration = building.Generation;
        }
        else if (player.Race != Race.Zerg)
        {
            unit.Errand = Errand.Idle;
        }
    }

    private static SC2APIProtocol.Action OrderedAction(GameWorld world, int slot, UnitFacts type, int x, int y)
    {
        var command = new ActionRawUnitCommand
        {
            AbilityId = type.Ability,
            TargetWorldSpacePos = new Point2D { X = x / (float)Geometry.Cell, Y = y / (float)Geometry.Cell },
        };
        command.UnitTags.Add(world.TagOf(slot));
        return new SC2APIProtocol.Action
        {
            ActionRaw = new ActionRaw { UnitCommand = command },
            GameLoop = (uint)world.Loop,
        };
    }
}
