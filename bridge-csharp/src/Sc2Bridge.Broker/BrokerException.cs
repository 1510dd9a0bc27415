using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker;

/// <summary>The broker, or what stands there, cannot be used so: one line that says what to do, and names no password.</summary>
/// <param name="message">The line.</param>
/// <param name="inner">What caused it, for a debugger.</param>
public sealed class BrokerException(string message, Exception? inner = null) : GameException(message, inner)
{
    /// <summary>The matches of which one is to be named, a line each; none if that is not the cause.</summary>
    public IReadOnlyList<string> Matches { get; init; } = [];
}
