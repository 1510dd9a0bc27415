namespace Sc2Bridge.Cli;

/// <summary>A token that a client needs to connect.</summary>
/// <param name="Side">The player whose side it is for; null for all of the match.</param>
/// <param name="Token">The token.</param>
internal sealed record SideToken(uint? Side, string Token);

/// <summary>The servers listen: the first line of <c>--json -</c>.</summary>
/// <param name="Pid">The process's number.</param>
/// <param name="Out">The output folder.</param>
/// <param name="Grpc">The gRPC server's address.</param>
/// <param name="Web">The WebSocket's address.</param>
/// <param name="Page">The live page's, with its token if it needs one; null without a page.</param>
/// <param name="Shm">The shared memory's; null without one.</param>
/// <param name="Tokens">Those that are printed for people too.</param>
/// <param name="Fingerprint">The certificate's; null without TLS.</param>
internal sealed record ListeningEvent(
    int Pid, string Out, string Grpc, string Web, string? Page, string? Shm, IReadOnlyList<SideToken> Tokens, string? Fingerprint);

/// <summary>A match's game has started, and agents can subscribe.</summary>
/// <param name="Match">The match's name.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">Whether the game is the simulated one.</param>
/// <param name="GameVersion">As the game says it.</param>
/// <param name="Seed">The game's random seed.</param>
/// <param name="Out">The match's folder.</param>
internal sealed record MatchEvent(string Match, string Map, bool Simulated, string GameVersion, uint Seed, string Out);

/// <summary>An unmodified bot can connect, as if the bridge were the game.</summary>
/// <param name="Player">Whom it plays.</param>
/// <param name="Host">Its <c>--LadderServer</c>.</param>
/// <param name="Port">Its <c>--GamePort</c>.</param>
internal sealed record BotAddressEvent(uint Player, string Host, int Port);
