namespace Sc2Bridge.Encodings.Zstd.Blocks;

/// <summary>Literals, and behind them bytes that stood in the stream before (RFC 8878, 3.1.1.3.2).</summary>
/// <param name="Literals">How many literals.</param>
/// <param name="Match">How many bytes that stood there before.</param>
/// <param name="Distance">How many bytes before the match they stand.</param>
internal readonly record struct Sequence(int Literals, int Match, int Distance);
