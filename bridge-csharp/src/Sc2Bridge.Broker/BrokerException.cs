using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker;

/// <summary>The broker, or one of its streams or queues, cannot be used. The message is one line with the remedy, and contains no password.</summary>
/// <param name="message">The problem and the remedy, as one line.</param>
/// <param name="inner">The cause, for debugging.</param>
public sealed class BrokerException(string message, Exception? inner = null) : GameException(message, inner)
{
    /// <summary>The matches that the user can choose from, one line for each. Empty if the error is not about the choice of a match.</summary>
    public IReadOnlyList<string> Matches { get; init; } = [];
}
