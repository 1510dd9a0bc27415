using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Workers mine, carry and build.</summary>
internal static class Workers
{
    private const int MiningLoops = 44;   // 2.8 s at normal speed
    private const int GasLoops = 32;
    private const int Load = 5;
    private const int GasLoad = 4;

    public static void Update(GameWorld world)
    {
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var unit = ref world.Units[slot];
            if (unit.Alive && unit.Owner != GameWorld.NeutralOwner && unit.Facts.Is(Kind.Worker))
            {
                Update(world, slot, ref unit);
            }
        }
    }

    /// <summary>Sends a worker to mine at a base; minerals, or the refinery that has less than three.</summary>
    public static void Gather(GameWorld world, int slot, int atBase)
    {
        ref var unit = ref world.Units[slot];
        Leave(world, ref unit);
        var best = -1;
        var fewest = int.MaxValue;
        for (var other = 0; other < world.SlotCount; other++)
        {
            ref var resource = ref world.Units[other];
            if (!resource.Alive || resource.Base != atBase || resource.Contents <= 0 || !resource.Finished)
            {
                continue;
            }

            var gas = resource.Facts.Is(Kind.Gas) && resource.Owner == unit.Owner && resource.Harvesters < 3;
            var minerals = resource.Facts.Id is 341 or 483;
            var crowd = gas ? -1 : resource.Harvesters;
            if ((gas || minerals) && crowd < fewest)
            {
                (best, fewest) = (other, crowd);
            }
        }

        unit.Base = atBase;
        if (best < 0)
        {
            unit.Errand = Errand.Idle;
            return;
        }

        unit.Errand = Errand.ToResource;
        unit.Target = best;
        unit.TargetGeneration = world.Units[best].Generation;
        unit.GoalX = world.Units[best].X;
        unit.GoalY = world.Units[best].Y;
        world.Units[best].Harvesters++;
    }

    /// <summary>Takes the worker off the resource that it was assigned to.</summary>
    public static void Leave(GameWorld world, ref Unit unit)
    {
        if (unit.Target >= 0 && unit.Errand is Errand.ToResource or Errand.Mining or Errand.Returning
            && TargetLives(world, ref unit))
        {
            world.Units[unit.Target].Harvesters--;
        }

        unit.Target = -1;
    }

    private static bool TargetLives(GameWorld world, ref Unit unit) =>
        unit.Target >= 0 && world.Units[unit.Target].Alive
            && world.Units[unit.Target].Generation == unit.TargetGeneration;

    private static void Update(GameWorld world, int slot, ref Unit unit)
    {
        switch (unit.Errand)
        {
            case Errand.Idle:
                // Looks for work twice a second.
                if ((world.Loop + slot) % 8 == 1)
                {
                    Gather(world, slot, BaseWithRoom(world, ref unit));
                }

                break;
            case Errand.ToResource:
                if (!TargetLives(world, ref unit))
                {
                    unit.Target = -1;
                    unit.Errand = Errand.Idle;
                }
                else if (Movement.Towards(
                    world, ref unit, unit.GoalX, unit.GoalY, world.Units[unit.Target].Facts.Radius + unit.Facts.Radius))
                {
                    unit.Errand = Errand.Mining;
                    unit.Timer = world.Units[unit.Target].Facts.Is(Kind.Gas) ? GasLoops : MiningLoops;
                }

                break;
            case Errand.Mining:
                Mine(world, ref unit);
                break;
            case Errand.Returning:
                Return(world, slot, ref unit);
                break;
            case Errand.ToSite or Errand.Building:
                Construction.Update(world, slot, ref unit);
                break;
        }
    }

    private static void Mine(GameWorld world, ref Unit unit)
    {
        if (--unit.Timer > 0)
        {
            return;
        }

        if (!TargetLives(world, ref unit))
        {
            unit.Target = -1;
            unit.Errand = Errand.Idle;
            return;
        }

        ref var resource = ref world.Units[unit.Target];
        unit.CarriesGas = resource.Facts.Is(Kind.Gas);
        unit.Carry = Math.Min(unit.CarriesGas ? GasLoad : Load, resource.Contents);
        resource.Contents -= unit.Carry;
        unit.Errand = Errand.Returning;
        var hall = world.Map.Bases[unit.Base];
        (unit.GoalX, unit.GoalY) = (hall.X, hall.Y);
        if (resource.Contents > 0)
        {
            return;
        }

        if (unit.CarriesGas)
        {
            world.Events.Raise(unit.Owner, Alert.VespeneExhausted);
        }
        else
        {
            world.Events.Raise(unit.Owner, Alert.MineralsExhausted);
            world.Remove(unit.Target, died: true);
            unit.Target = -1;
        }
    }

    private static void Return(GameWorld world, int slot, ref Unit unit)
    {
        if (world.BaseOwner[unit.Base] != unit.Owner)
        {
            Leave(world, ref unit);
            unit.Errand = Errand.Idle;
            return;
        }

        if (!Movement.Towards(world, ref unit, unit.GoalX, unit.GoalY, UnitTable.Of(18).Radius + unit.Facts.Radius))
        {
            return;
        }

        var player = world.Players[unit.Owner - 1];
        if (unit.CarriesGas)
        {
            player.Vespene += unit.Carry;
            player.CollectedVespene += unit.Carry;
        }
        else
        {
            player.Minerals += unit.Carry;
            player.CollectedMinerals += unit.Carry;
        }

        unit.Carry = 0;
        if (TargetLives(world, ref unit) && world.Units[unit.Target].Contents > 0)
        {
            unit.Errand = Errand.ToResource;
            (unit.GoalX, unit.GoalY) = (world.Units[unit.Target].X, world.Units[unit.Target].Y);
        }
        else
        {
            Gather(world, slot, BaseWithRoom(world, ref unit));
        }
    }

    /// <summary>
    /// The player's base with the fewest workers for what it has to mine; the worker's own where that will do.
    /// </summary>
    private static int BaseWithRoom(GameWorld world, ref Unit unit)
    {
        Span<int> room = stackalloc int[world.Map.Bases.Length];
        for (var slot = 0; slot < world.SlotCount; slot++)
        {
            ref var other = ref world.Units[slot];
            if (other.Alive && other.Contents > 0 && other.Finished)
            {
                room[other.Base] += other.Facts.Id is 341 or 483 ? 2 - other.Harvesters
                    : other.Owner == unit.Owner ? 3 - other.Harvesters : 0;
            }
        }

        var best = unit.Base;
        var most = world.BaseOwner[unit.Base] == unit.Owner ? Math.Max(room[unit.Base], 0) + 2 : int.MinValue;
        for (var i = 0; i < room.Length; i++)
        {
            if (world.BaseOwner[i] == unit.Owner && room[i] > most)
            {
                (best, most) = (i, room[i]);
            }
        }

        return best;
    }
}
