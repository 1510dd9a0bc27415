namespace Sc2Bridge.Simulator;

/// <summary>
/// The simulated game failed: a defect of it. The cause stands in <see cref="Exception.InnerException"/>.
/// </summary>
/// <param name="request">What it was answering, as the API spells it.</param>
/// <param name="loop">The game loop that it had reached.</param>
/// <param name="cause">What went wrong.</param>
public sealed class SimulatedGameException(string request, int loop, Exception cause)
    : Exception(
        $"The simulated game failed while it answered {request} at game loop {loop} ({cause.GetType().Name}: " +
        $"{cause.Message}). That is a defect in it: report it with the lines above, the seed and the players.",
        cause);
