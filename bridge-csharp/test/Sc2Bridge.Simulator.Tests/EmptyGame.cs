using Sc2Bridge.Simulator.Api;
using ApiUnit = SC2APIProtocol.Unit;
using Value = SC2APIProtocol.DebugSetUnitValue.Types.UnitValue;

namespace Sc2Bridge.Simulator.Tests;

/// <summary>
/// A game of one participant on the map without triggers, with debug commands and short ways to command units. cpp-sc2's tests
/// play in the same way on Test/Empty (71510f6, tests/test_unit_command.cc:1846).
/// </summary>
internal sealed class EmptyGame
{
    public const float Middle = 64;

    private readonly SimulatedGame _game;

    public EmptyGame(InterfaceOptions? options = null) => _game = Game.Joined(
        Game.CreateAlone(), new RequestJoinGame { Race = Race.Terran, Options = options ?? Game.Options });

    public SimulatedGame Api => _game;

    public Observation Seen => _game.Observe().Observation.Observation;

    public IReadOnlyList<ApiUnit> Units => Seen.RawData.Units;

    public ApiUnit One(uint type) => Units.Single(unit => unit.UnitType == type);

    /// <summary>The same debug commands as OnTestsBegin of cpp-sc2's tests of commands (tests/test_unit_command.cc:1814).</summary>
    public EmptyGame WithEverything()
    {
        foreach (var state in new[]
        {
            DebugGameState.ControlEnemy, DebugGameState.ShowMap, DebugGameState.AllResources, DebugGameState.Food,
            DebugGameState.TechTree, DebugGameState.Upgrade, DebugGameState.FastBuild,
        })
        {
            Switch(state);
        }

        Step();
        return this;
    }

    public void Switch(DebugGameState state) => _game.Debug(new DebugCommand { GameState = state });

    public void Make(uint type, float x, float y, int owner = 1, uint count = 1) => _game.Debug(new DebugCommand
    {
        CreateUnit = new DebugCreateUnit { UnitType = type, Owner = owner, Pos = Game.At(x, y), Quantity = count },
    });

    public void Kill(ApiUnit unit) =>
        _game.Debug(new DebugCommand { KillUnit = new DebugKillUnit { Tag = { unit.Tag } } });

    public void Set(ApiUnit unit, Value what, float value) => _game.Debug(new DebugCommand
    {
        UnitValue = new DebugSetUnitValue { UnitTag = unit.Tag, UnitValue = what, Value = value },
    });

    public void Order(ApiUnit unit, int ability, ApiUnit? target = null, Point2D? at = null)
    {
        var command = new ActionRawUnitCommand { AbilityId = ability, UnitTags = { unit.Tag } };
        if (target is not null)
        {
            command.TargetUnitTag = target.Tag;
        }
        else if (at is not null)
        {
            command.TargetWorldSpacePos = at;
        }

        var answer = _game.Act(new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = command } });
        Assert.Equal(ActionResult.Success, Assert.Single(answer.Result));
    }

    public void Step(uint loops = 1) => _game.Step(loops);
}
