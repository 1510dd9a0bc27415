using SC2APIProtocol;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>
/// Gives a computer's commands, by the same rules as all players' commands, and tracks its savings: resources that are
/// reserved for one purchase are not spent on another.
/// </summary>
internal sealed class CommandIssuer(GameWorld world, Player player) : Copyable
{
    private int _minerals;
    private int _vespene;

    /// <summary>Clears the reservations, at the beginning of each decision.</summary>
    public void Begin() => (_minerals, _vespene) = (player.Minerals, player.Vespene);

    /// <summary>Whether the resources that are not reserved pay a price.</summary>
    public bool Affords(Price price) => Affords(price.Minerals, price.Vespene);

    /// <summary>Whether this amount of resources is not reserved.</summary>
    public bool Affords(int minerals, int vespene) => minerals <= _minerals && (vespene == 0 || vespene <= _vespene);

    /// <summary>Reserves the price of something that cannot be paid yet.</summary>
    public void SaveFor(Price price) => SaveFor(price.Minerals, price.Vespene);

    /// <summary>Reserves an amount of resources.</summary>
    public void SaveFor(int minerals, int vespene) =>
        (_minerals, _vespene) = (_minerals - minerals, _vespene - vespene);

    /// <summary>Uses an ability without a target.</summary>
    public bool Do(Unit unit, int ability) => Give(unit, ability, CommandTarget.None);

    /// <summary>Uses an ability on a unit.</summary>
    public bool Do(Unit unit, int ability, Unit target) => Give(unit, ability, CommandTarget.Of(target));

    /// <summary>Uses an ability at a point (1/4096 of a cell), or at the map's edge if the point is outside.</summary>
    public bool Do(Unit unit, int ability, int x, int y)
    {
        var (px, py) = world.Map.Inside(x, y);
        return Give(unit, ability, CommandTarget.At(px, py));
    }

    private bool Give(Unit unit, int id, CommandTarget target)
    {
        var ability = TechTree.Ability(id);
        var (minerals, vespene) = (player.Minerals, player.Vespene);
        var done = unit.Alive && unit.Owner == player.Id
            && Commander.Order(world, player, unit, ability, target) == ActionResult.Success;
        _minerals -= minerals - player.Minerals;
        _vespene -= vespene - player.Vespene;
        if (done && ability.Makes == Makes.Build)
        {
            // The price is paid when the worker arrives. Until then it stays reserved.
            SaveFor(Prices.Of(ability, unit.Type));
        }

        return done;
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies) => (world, player) = (copies.Of(world), copies.Of(player));
}
