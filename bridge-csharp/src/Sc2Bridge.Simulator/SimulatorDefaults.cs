namespace Sc2Bridge.Simulator;

/// <summary>Seeds whose matches are known.</summary>
public static class SimulatorDefaults
{
    /// <summary>Two Elites, Terran against Zerg on Cinder Fortress LE, play beyond 16,860 game loops.</summary>
    public const uint Seed = 34;

    /// <summary>The same two come to a result before loop 16,860.</summary>
    public const uint ShortMatchSeed = 2;
}
