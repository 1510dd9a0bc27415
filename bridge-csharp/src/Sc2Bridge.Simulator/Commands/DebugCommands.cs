using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.World;
using static SC2APIProtocol.DebugCommand;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>Applies debug commands to the world. As in the game, meaningless commands are ignored.</summary>
internal static class DebugCommands
{
    private const int MostAtOnce = 200;
    private const int MostUnits = 4000;
    private const int Gift = 5000;

    /// <summary>Carries a command out.</summary>
    /// <param name="world">The world.</param>
    /// <param name="player">The player that sent it.</param>
    /// <param name="command">The command. Drawing and tests of the process do not change the world.</param>
    public static void Do(GameWorld world, Player player, DebugCommand command)
    {
        switch (command.CommandCase)
        {
            case CommandOneofCase.GameState:
                Switch(world, player, command.GameState);
                break;
            case CommandOneofCase.CreateUnit:
                Create(world, command.CreateUnit);
                break;
            case CommandOneofCase.KillUnit:
                foreach (var tag in command.KillUnit.Tag)
                {
                    if (world.Find(tag) is { } unit)
                    {
                        Transport.UnloadSurvivors(world, unit);
                        world.Remove(unit, died: true);
                    }
                }

                break;
            case CommandOneofCase.UnitValue:
                SetValue(world, command.UnitValue);
                break;
            case CommandOneofCase.EndGame when command.EndGame.EndResult == DebugEndGame.Types.EndResult.DeclareVictory:
                world.EndWith(p => p == player ? Result.Victory : Result.Defeat);
                break;
            case CommandOneofCase.EndGame:
                world.Defeat(player);
                break;
        }
    }

    private static void Switch(GameWorld world, Player player, DebugGameState state)
    {
        switch (state)
        {
            case DebugGameState.AllResources:
                player.Minerals += Gift;
                player.Vespene += Gift;
                break;
            case DebugGameState.Minerals:
                player.Minerals += Gift;
                break;
            case DebugGameState.Gas:
                player.Vespene += Gift;
                break;
            case DebugGameState.Upgrade:
                Upgrade(world, player);
                break;
            case DebugGameState.ShowMap or DebugGameState.ControlEnemy or DebugGameState.God:
                Toggle(player, state);
                break;
            default:
                // The game switches these states for all players.
                Array.ForEach(world.Players, p => Toggle(p, state));
                break;
        }
    }

    private static void Toggle(Player player, DebugGameState state)
    {
        if (!player.Cheats.Remove(state))
        {
            player.Cheats.Add(state);
        }
    }

    // Gives every upgrade that can be researched next. Upgrades with levels rise by one level each time.
    private static void Upgrade(GameWorld world, Player player)
    {
        var before = player.Upgrades.ToHashSet();
        foreach (var upgrade in TechTree.Upgrades)
        {
            var level = upgrade.Name.Length > 6 && upgrade.Name[^6..^1] == "Level" ? upgrade.Name[^1] - '0' : 1;
            var below = TechTree.Upgrades.FirstOrDefault(u => u.Name == upgrade.Name[..^1] + (level - 1));
            if (level == 1 || (below is not null && before.Contains(below.Id)))
            {
                Upgrades.Gain(world, player, upgrade.Id);
            }
        }
    }

    private static void Create(GameWorld world, DebugCreateUnit create)
    {
        // A unit that is created for player 0 is neutral in the game.
        var owner = create.Owner is 0 or GameWorld.Neutral ? GameWorld.Neutral : create.Owner;
        if (TechTree.FindUnit((int)create.UnitType) is not { } type || owner < 0
            || (owner != GameWorld.Neutral && owner > world.Players.Length)
            || create.Pos is not { } pos || !float.IsFinite(pos.X) || !float.IsFinite(pos.Y))
        {
            return;
        }

        var (x, y) = PlayerActions.PlaceOf(world, pos.X, pos.Y);
        var (before, count) = (world.Units.Count, Math.Min(create.HasQuantity ? create.Quantity : 1, MostAtOnce));
        Placing.Put(world, type, owner, x, y, (int)Math.Min(count, MostUnits - Math.Min(before, MostUnits)));
        for (var made = before; made < world.Units.Count; made++)
        {
            world.Units[made].SetUntil = world.Loop + 1;
        }
    }

    private static void SetValue(GameWorld world, DebugSetUnitValue set)
    {
        if (world.Find(set.UnitTag) is not { } unit || !float.IsFinite(set.Value))
        {
            return;
        }

        // The next loop shows the value as it was set. The loop after it shows what has regenerated since.
        unit.SetUntil = world.Loop + 1;
        switch (set.UnitValue)
        {
            case DebugSetUnitValue.Types.UnitValue.Energy:
                unit.Energy = Points(set.Value, unit.Type.Energy);
                break;
            case DebugSetUnitValue.Types.UnitValue.Life:
                unit.Health = Math.Max(Points(set.Value, unit.MostHealth / 256), unit.Type.Health > 0 ? 1 : 0);
                break;
            default:
                unit.Shield = Points(set.Value, unit.Type.Shield);
                break;
        }
    }

    // In the game, 0 sets the maximum.
    private static int Points(float value, int most) =>
        value <= 0 ? most * 256 : (int)(Math.Min(value, most) * 256);
}
