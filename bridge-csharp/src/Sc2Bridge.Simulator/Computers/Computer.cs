using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Computers;

/// <summary>
/// A built-in opponent. Every few loops, it decides about its workers, buildings, production and army, and gives
/// commands by the same rules as all players.
/// </summary>
internal sealed class Computer : Copyable
{
    private GameWorld _world;
    private Player _player;
    private readonly Skill _skill;
    private UnitInventory _inventory = new();
    private CommandIssuer _issuer;
    private Economist _economist;
    private Caster _caster;
    private Trainer _trainer;
    private Militia _militia;
    private General _general;
    private readonly bool _varies;
    private int _nextThought;
    private int _paidFor;

    /// <summary>Creates the computer of a player.</summary>
    public Computer(GameWorld world, Player player)
    {
        (_world, _player) = (world, player);
        _skill = Skill.Of(player.Spec.Difficulty, player.Spec.Build, world.Random);

        // The scripted difficulties draw their openings at random, and a scenario's fight has no plan.
        _varies = !_skill.IsScripted && world.Map.Scenario is null;
        var plan = Plan.Choose(Plan.All, player.Race, player.Spec.Build, _varies ? world.Random : static _ => 0);
        _nextThought = world.Loop + _skill.ThinkEvery - 1 - ((world.Loop + player.Id + _skill.ThinkEvery - 1) % _skill.ThinkEvery);
        _issuer = new CommandIssuer(world, player);
        var builder = new Builder(world, player, _inventory, _issuer);
        _economist = new Economist(world, player, _skill, plan, _inventory, _issuer, builder);
        _caster = new Caster(world, player, _skill, _inventory, _issuer);
        _trainer = new Trainer(world, player, _skill, plan, _inventory, _issuer);
        _militia = new Militia(world, player, _skill, _inventory, _issuer);
        _general = new General(world, player, _skill, _inventory, _issuer);
    }

    /// <summary>The computers of a world.</summary>
    public static Computer[] Of(GameWorld world) =>
        [.. world.Players.Where(p => p.Spec.Type == PlayerType.Computer).Select(p => new Computer(world, p))];

    /// <summary>Gives the commands of this loop.</summary>
    public void Think()
    {
        if (_player.Result is not null)
        {
            return;
        }

        CollectExtra();
        var thinks = _world.Loop >= _nextThought;
        if (!thinks && !_militia.IsDue)
        {
            return;
        }

        _inventory.Update(_world, _player);
        _militia.Think();
        if (!thinks)
        {
            return;
        }

        // The interval varies, so that each seed gives a different match.
        _nextThought = _world.Loop + _skill.ThinkEvery + (_varies ? _world.Random(5) - 2 : 0);
        _issuer.Begin();
        _issuer.SaveFor(_inventory.OwedMinerals, _inventory.OwedVespene);
        _trainer.Guard();
        _economist.Think();
        _caster.Think();
        _trainer.Think();
        _economist.SpendTheRest();
        _general.Think();
    }

    // The difficulties that cheat get more resources than their workers collect.
    private void CollectExtra()
    {
        var collected = (int)_player.Score.CollectedMinerals;
        if (_skill.IncomePercent(_world.Loop) is > 100 and var percent && collected - _paidFor >= 100)
        {
            var extra = (collected - _paidFor) * (percent - 100) / 100;
            _paidFor = collected;
            _player.Minerals += extra;
            _player.Vespene += extra / 3;
        }
    }

    /// <inheritdoc/>
    public override void Separate(WorldCopy copies)
    {
        (_world, _player, _inventory, _issuer) = (copies.Of(_world), copies.Of(_player), copies.Of(_inventory), copies.Of(_issuer));
        (_economist, _caster, _trainer) = (copies.Of(_economist), copies.Of(_caster), copies.Of(_trainer));
        (_militia, _general) = (copies.Of(_militia), copies.Of(_general));
    }
}
