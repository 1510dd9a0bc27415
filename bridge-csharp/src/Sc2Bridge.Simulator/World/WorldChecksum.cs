namespace Sc2Bridge.Simulator.World;

/// <summary>A hash of a world. Two worlds with different hashes differ.</summary>
internal static class WorldChecksum
{
    private const ulong Start = 14695981039346656037;
    private const ulong Prime = 1099511628211;

    /// <summary>The hash of the state that changes often and determines how the world continues.</summary>
    public static ulong Of(GameWorld world)
    {
        var sum = Mix(Start, world.Loop);
        foreach (var player in world.Players)
        {
            sum = Mix(Mix(sum, player.Minerals), player.Vespene);
            sum = Mix(Mix(sum, player.HalfFoodUsed), player.Upgrades.Count);
            sum = Mix(Mix(sum, player.Camera.X), player.Camera.Y);
            sum = Of(sum, player.Selection.Units);
            for (var group = 0; group < Selection.GroupCount; group++)
            {
                sum = Of(sum, player.Selection.Group(group));
            }
        }

        foreach (var unit in world.Units)
        {
            sum = Mix(Mix(sum, unit.Number), unit.Type.Id);
            sum = Mix(Mix(sum, unit.X), unit.Y);
            sum = Mix(Mix(sum, unit.Health), unit.Shield);
            sum = Mix(Mix(sum, unit.Energy), unit.Contents);
            sum = Mix(Mix(sum, unit.BuildLeft), unit.Orders.Count + (unit.Queue.Count << 16));
            foreach (var (buff, until) in unit.Buffs)
            {
                sum = Mix(Mix(sum, buff), until);
            }
        }

        return sum;
    }

    private static ulong Of(ulong sum, List<Unit> units)
    {
        foreach (var unit in units)
        {
            sum = Mix(sum, unit.Number);
        }

        return Mix(sum, units.Count);
    }

    private static ulong Mix(ulong sum, int value) => unchecked((sum ^ (uint)value) * Prime);
}
