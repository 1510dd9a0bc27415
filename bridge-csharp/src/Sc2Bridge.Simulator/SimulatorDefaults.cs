namespace Sc2Bridge.Simulator;

/// <summary>Defaults of a match.</summary>
public static class SimulatorDefaults
{
    /// <summary>
    /// The seed if no other one is given. It plays two Elites, Terran against Zerg, on
    /// Cinder Fortress LE. It was chosen for its size: its observations have 134 to 144 KiB from game loop 14,500 to 16,860.
    /// </summary>
    public const uint Seed = 38;
}
