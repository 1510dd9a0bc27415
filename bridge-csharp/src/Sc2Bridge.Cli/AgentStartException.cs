namespace Sc2Bridge.Cli;

/// <summary>A started agent ended, or did not subscribe, before the first match began.</summary>
/// <param name="agent">The agent's name.</param>
/// <param name="message">The error as one line.</param>
internal sealed class AgentStartException(string agent, string message) : CommandException(message)
{
    /// <summary>The agent's name.</summary>
    internal string Agent { get; } = agent;
}
