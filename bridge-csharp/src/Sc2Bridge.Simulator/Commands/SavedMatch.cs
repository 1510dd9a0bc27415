using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>
/// A saved match that can be continued any number of times. It keeps no copy of the world: it plays the journal again, which
/// gives the same world, computers, paths and random numbers.
/// </summary>
/// <param name="match">The match to save, at its current loop.</param>
internal sealed class SavedMatch(Match match)
{
    private readonly GameSetup _setup = match.Setup;
    private readonly Journal _journal = new(match.Journal);
    private readonly int _loop = match.World.Loop;
    private readonly PlayerEvents[] _events = [.. Viewers(match).Select(viewer => new PlayerEvents(match.World.EventsOf(viewer)))];

    /// <summary>Creates a new match in the saved state.</summary>
    /// <exception cref="OperationCanceledException">The client has disconnected.</exception>
    public Match Restore(CancellationToken left)
    {
        var restored = new Match(_setup, new Journal(_journal));
        for (var loop = 0; loop < _loop; loop++)
        {
            left.ThrowIfCancellationRequested();
            restored.Step();
        }

        foreach (var viewer in Viewers(restored))
        {
            // Playing the journal again raised the events of all loops. Viewers had observed most of them.
            restored.World.EventsOf(viewer).Replace(_events[viewer]);
        }

        return restored;
    }

    private static IEnumerable<int> Viewers(Match match) => Enumerable.Range(0, match.Setup.Players.Count + 1);
}
