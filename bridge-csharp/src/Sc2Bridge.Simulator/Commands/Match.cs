using SC2APIProtocol;
using Sc2Bridge.Simulator.Computers;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>A world with its journal. The same setup and journal give the same match.</summary>
internal sealed class Match
{
    private readonly Computer[] _computers;
    private int _next;

    /// <summary>Creates a match at loop 0.</summary>
    /// <param name="setup">The setup.</param>
    /// <param name="journal">The clients' actions. Entries may still be added for future loops.</param>
    public Match(GameSetup setup, Journal journal)
    {
        (Setup, Journal) = (setup, journal);
        World = new GameWorld(setup.Map, setup.Seats, setup.Seed);
        _computers = Computer.Of(World);
    }

    // Copies a match.
    private Match(Match original)
    {
        (Setup, Journal, _next) = (original.Setup, new Journal(original.Journal), original._next);
        var copies = new WorldCopy(original.World);
        World = copies.Of(original.World);
        _computers = Array.ConvertAll(original._computers, copies.Of);
        copies.Finish();
    }

    public GameSetup Setup { get; }

    public Journal Journal { get; }

    /// <summary>The world in its current state.</summary>
    public GameWorld World { get; }

    /// <summary>Whether the journal has entries that have not been carried out.</summary>
    public bool HasMore => _next < Journal.Entries.Count;

    /// <summary>A copy that continues independently, in the same way: with the same commands, it stays equal. The match must be between
    /// two loops.</summary>
    public Match Copy() => new(this);

    /// <summary>Plays a loop: first the journal's entries, then the computers' commands, then the world.</summary>
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
            // A map's triggers give the victory at once to a player without opponents. A map without triggers goes on:
            // cpp-sc2's tests have one participant (71510f6, tests/test_unit_command.cc:1846, on Test/Empty).
            World.EndWith(_ => Result.Victory);
        }
    }

    /// <summary>Carries out the journal's entries for the next loop.</summary>
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

        if (!World.KeepsActions && !HasMore)
        {
            Journal.Clear();
            _next = 0;
        }
    }
}
