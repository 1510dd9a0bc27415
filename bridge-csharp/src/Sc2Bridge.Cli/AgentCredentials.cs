namespace Sc2Bridge.Cli;

/// <summary>How a started agent shows who it is, and knows the bridge.</summary>
/// <param name="Token">Its token; null where it needs none.</param>
/// <param name="Fingerprint">The servers' certificate's; null without TLS.</param>
internal readonly record struct AgentCredentials(string? Token, string? Fingerprint);
