using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Observing;

/// <summary>The numbers of a player's units in its observation.</summary>
/// <param name="HalfWorkers">The supply of workers, in halves.</param>
/// <param name="IdleWorkers">Workers without orders.</param>
/// <param name="Army">Units of the army.</param>
/// <param name="WarpGates">Warp gates that are ready.</param>
/// <param name="Larvae">Larvae.</param>
internal readonly record struct PlayerTally(int HalfWorkers, int IdleWorkers, int Army, int WarpGates, int Larvae)
{
    /// <summary>Counts the units of a player.</summary>
    public static PlayerTally Of(GameWorld world, int player)
    {
        var (workers, idle, army, gates, larvae) = (0, 0, 0, 0, 0);
        foreach (var unit in world.Units)
        {
            if (unit.Owner != player)
            {
                continue;
            }

            workers += unit.Type.Is(Kind.Worker) ? unit.Type.HalfFood : 0;
            idle += unit.Type.Is(Kind.Worker) && unit.Orders.Count == 0 ? 1 : 0;

            army += unit.Type.IsSelectedAsArmy ? 1 : 0;
            gates += unit.Type.Id == UnitId.WarpGate && unit.Finished && unit.Cooldowns.Count == 0 ? 1 : 0;
            larvae += unit.Type.Id == UnitId.Larva ? 1 : 0;
        }

        return new(workers, idle, army, gates, larvae);
    }
}
