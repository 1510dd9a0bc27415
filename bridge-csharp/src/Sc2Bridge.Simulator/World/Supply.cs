using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>The rules of supply, in halves.</summary>
internal static class Supply
{
    /// <summary>The most supply that a player can use.</summary>
    public const int Most = 400;

    /// <summary>Whether a player has enough supply for an addition.</summary>
    /// <returns>Success; NotEnoughFood if the player needs more supply; FoodUsageImpossible above the maximum.</returns>
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

    /// <summary>Reserves supply for the product or morph of a unit. A negative amount frees it.</summary>
    public static void Reserve(GameWorld world, Unit unit, int halfFood)
    {
        world.PlayerOf(unit.Owner).HalfFoodUsed += halfFood;
        unit.HeldFood += halfFood;
    }
}
