using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>The rules of supply, in halves of a place.</summary>
internal static class Supply
{
    /// <summary>The most that a player can use.</summary>
    public const int Most = 400;

    /// <summary>Whether a player has room for more.</summary>
    /// <returns>Success, NotEnoughFood below the most, FoodUsageImpossible above.</returns>
    public static ActionResult Check(Player player, int halfFood)
    {
        if (halfFood <= 0 || player.Cheats.Contains(DebugGameState.Food))
        {
            return ActionResult.Success;
        }

        return player.HalfFoodUsed + halfFood > Most ? ActionResult.FoodUsageImpossible
            : player.HalfFoodUsed + halfFood > player.FoodCap * 2 ? ActionResult.NotEnoughFood
            : ActionResult.Success;
    }

    /// <summary>Holds room for what a unit makes or becomes, or gives it back where it is less than 0.</summary>
    public static void Hold(GameWorld world, Unit unit, int halfFood)
    {
        world.PlayerOf(unit.Owner).HalfFoodUsed += halfFood;
        unit.HeldFood += halfFood;
    }
}
