namespace Sc2Bridge.Cli;

/// <summary>How a started agent identifies itself, and verifies the bridge.</summary>
/// <param name="Token">The agent's token; null if it needs no token.</param>
/// <param name="Fingerprint">The fingerprint of the servers' certificate; null without TLS.</param>
internal readonly record struct AgentCredentials(string? Token, string? Fingerprint);
