namespace Sc2Bridge.Cli;

/// <summary>A token that a client needs to connect.</summary>
/// <param name="Side">The id of the player whose side a client with the token can watch and play; null for the whole match.</param>
/// <param name="Token">The token.</param>
internal sealed record SideToken(uint? Side, string Token);

/// <summary>The event after the servers have begun to listen: the first line of <c>--json -</c>.</summary>
/// <param name="Pid">The process id.</param>
/// <param name="Out">The output folder.</param>
/// <param name="Grpc">The gRPC server's address.</param>
/// <param name="Web">The WebSocket server's address.</param>
/// <param name="Page">The address of the live page, with its token if needed; null without a page.</param>
/// <param name="Shm">The address of the shared memory; null without shared memory.</param>
/// <param name="Tokens">The tokens that clients need; they are also printed.</param>
/// <param name="Fingerprint">The fingerprint of the certificate; null without TLS.</param>
internal sealed record ListeningEvent(
    int Pid, string Out, string Grpc, string Web, string? Page, string? Shm, IReadOnlyList<SideToken> Tokens, string? Fingerprint);

/// <summary>The event after a game has started: agents can subscribe.</summary>
/// <param name="Match">The match's name.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">Whether the game is the simulated game.</param>
/// <param name="GameVersion">The version that the game reports.</param>
/// <param name="Seed">The game's random seed.</param>
/// <param name="Out">The match's folder.</param>
internal sealed record MatchEvent(string Match, string Map, bool Simulated, string GameVersion, uint Seed, string Out);

/// <summary>The event when an unmodified bot can connect to the bridge as if it were the game.</summary>
/// <param name="Player">The player's id.</param>
/// <param name="Host">The value for the bot's option <c>--LadderServer</c>.</param>
/// <param name="Port">The value for the bot's option <c>--GamePort</c>.</param>
internal sealed record BotAddressEvent(uint Player, string Host, int Port);
