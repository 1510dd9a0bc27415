namespace Sc2Bridge.Simulator;

/// <summary>The simulated game failed because of a defect in it. The cause is <see cref="Exception.InnerException"/>.</summary>
/// <param name="request">The name of the request that it was answering, as the API spells it.</param>
/// <param name="loop">The current game loop.</param>
/// <param name="cause">The exception that was thrown.</param>
public sealed class SimulatedGameException(string request, int loop, Exception cause)
    : Exception(
        $"The simulated game failed while it answered {request} at game loop {loop} ({cause.GetType().Name}: " +
        $"{cause.Message}). That is a defect in it: report it with the lines above, the seed and the players.",
        cause);
