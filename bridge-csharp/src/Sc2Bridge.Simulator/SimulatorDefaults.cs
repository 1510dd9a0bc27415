namespace Sc2Bridge.Simulator;

/// <summary>What a match is played with unless told otherwise.</summary>
public static class SimulatorDefaults
{
    /// <summary>
    /// The match that is played, streamed and measured where no other seed is given: two Elites, Terran against Zerg
    /// on Cinder Fortress LE.
    /// </summary>
    public const uint Seed = 6;
}
