using SC2APIProtocol;
using Sc2Bridge.Simulator.Computers;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>A world with the journal of what is done to it. The same setup and journal give the same match.</summary>
internal sealed class Match
{
    private readonly Computer[] _computers;
    private int _next;

    /// <summary>A match at loop 0.</summary>
    /// <param name="setup">What decides it.</param>
    /// <param name="journal">What is done to it; entries may still be added for loops to come.</param>
    public Match(GameSetup setup, Journal journal)
    {
        (Setup, Journal) = (setup, journal);
        World = new GameWorld(setup.Map, setup.Seats, setup.Seed);
        _computers = Computer.Of(World);
    }

    /// <summary>What decides it.</summary>
    public GameSetup Setup { get; }

    /// <summary>What is done to it.</summary>
    public Journal Journal { get; }

    /// <summary>The world as it is now.</summary>
    public GameWorld World { get; }

    /// <summary>Whether the journal has something that has not been carried out.</summary>
    public bool HasMore => _next < Journal.Entries.Count;

    /// <summary>Plays a loop: what the journal has for it first, then what the computers think.</summary>
    public void Step()
    {
        CarryOut();
        Array.ForEach(_computers, computer => computer.Think());
        World.Step();
        if (World.Loop >= Setup.LongestMatch)
        {
            World.EndInTie();
        }
        else if (Setup.Players.Count == 1 && Setup.Map is { Melee: true, Scenario: null })
        {
            // The triggers of a map give the victory at once to a player without opponents. A map without triggers plays
            // on: cpp-sc2's tests have one participant (71510f6, tests/test_unit_command.cc:1846, on Test/Empty).
            World.EndWith(_ => Result.Victory);
        }
    }

    /// <summary>Carries out what the journal has before the next loop.</summary>
    public void CarryOut()
    {
        for (; _next < Journal.Entries.Count && Journal.Entries[_next].Loop <= World.Loop && !World.Ended; _next++)
        {
            var entry = Journal.Entries[_next];
            var player = World.PlayerOf(entry.Player);
            switch (entry.What)
            {
                case SC2APIProtocol.Action action:
                    PlayerActions.Do(World, player, action);
                    break;
                case DebugCommand command:
                    DebugCommands.Do(World, player, command);
                    break;
                default:
                    World.Defeat(player);
                    break;
            }
        }
    }
}
