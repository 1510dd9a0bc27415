namespace Sc2Bridge.Simulator;

/// <summary>What a match is played with unless told otherwise.</summary>
public static class SimulatorDefaults
{
    /// <summary>
    /// The match that is played, streamed and measured where no other seed is given: two Elites, Terran against Zerg
    /// on Cinder Fortress LE. It goes on beyond 16,860 game loops. The observations of an observer of all have 46.7 KiB
    /// at loop 0, 131 at loop 13,000, and 138 to 148 from loop 14,500 on. Observations of a real late game have 134 to 169 KiB.
    /// </summary>
    public const uint Seed = 4;
}
