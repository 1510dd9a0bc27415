namespace Sc2Bridge.Simulator;

/// <summary>What a match is played with unless told otherwise.</summary>
public static class SimulatorDefaults
{
    /// <summary>
    /// The match that is played, streamed and measured if no other seed is given: two Elites, Terran against Zerg on
    /// Cinder Fortress LE. It goes on beyond 16,860 game loops, which is why it was chosen.
    /// </summary>
    public const uint Seed = 4;
}
