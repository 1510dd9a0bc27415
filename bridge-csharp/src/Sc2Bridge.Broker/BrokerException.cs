using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker;

/// <summary>The broker, or what stands there, cannot be used so: one line that says what to do, and names no password.</summary>
/// <param name="message">The line.</param>
/// <param name="inner">What caused it, for a debugger.</param>
public sealed class BrokerException(string message, Exception? inner = null) : GameException(message, inner)
{
    /// <summary>If the user has to name a match: the matches to choose from, a line each. Else empty.</summary>
    public IReadOnlyList<string> Matches { get; init; } = [];
}
