using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>Whether a player can pay.</summary>
internal static class Payment
{
    /// <summary>Checks minerals, vespene and supply, in the order of the game's error messages.</summary>
    public static ActionResult Check(Player player, Price price)
    {
        if (!player.CanPay(price.Minerals, 0))
        {
            return ActionResult.NotEnoughMinerals;
        }

        return player.CanPay(0, price.Vespene) ? Supply.Check(player, price.HalfFood) : ActionResult.NotEnoughVespene;
    }
}
