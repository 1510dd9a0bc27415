using System.Globalization;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>The result of inspecting a whole recording. Unknown values are null.</summary>
/// <param name="File">The path, as the user wrote it.</param>
/// <param name="FileBytes">The file's size.</param>
/// <param name="Library">The program that wrote the file.</param>
/// <param name="Damage">
/// The first twenty problems of the file, each as a line with the remedy. Empty if the file is undamaged.
/// </param>
/// <param name="Match">The match.</param>
/// <param name="Length">The length of the match.</param>
/// <param name="Chunks">The number and the sizes of the chunks.</param>
/// <param name="Channels">The number and the size of the messages, by channel.</param>
/// <param name="Attachments">The size of each attachment in bytes, by name.</param>
/// <param name="Gaps">Missing observations: the first 10,000 gaps.</param>
/// <param name="Measures">The statistics of sizes and times of all steps.</param>
/// <param name="Along">Sizes and times in each segment of the match.</param>
/// <param name="Analysis">The analysis of the match; null unless it was requested.</param>
public sealed record InspectionReport(
    string File,
    long FileBytes,
    string Library,
    IReadOnlyList<string> Damage,
    MatchFacts Match,
    LengthFacts Length,
    ChunkFigures Chunks,
    IReadOnlyList<ChannelFigures> Channels,
    IReadOnlyDictionary<string, long> Attachments,
    IReadOnlyList<GapRow> Gaps,
    IReadOnlyList<MeasureRow> Measures,
    AlongMatch Along,
    MatchAnalysis? Analysis = null);

/// <summary>The facts of the match.</summary>
/// <param name="Name">The match's id.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">True for a simulated game. Its figures do not apply to StarCraft II.</param>
/// <param name="GameVersion">The game's own version text.</param>
/// <param name="Rate"><c>max</c>, <c>realtime</c> or the number of steps a second.</param>
/// <param name="StepSize">The number of game loops in a step; 0 in real time, or if bots made their own steps.</param>
/// <param name="Seed">The game's random seed; null for a replay, because replays contain no seed.</param>
/// <param name="Replay">The replay that the game played; null for other matches.</param>
/// <param name="Perspectives">The players whose observations were recorded; 0 for an observer of all players.</param>
/// <param name="Players">The players.</param>
/// <param name="Ended">Why the match ended; null if the recording was not closed.</param>
/// <param name="Aborted">True if the game failed.</param>
public sealed record MatchFacts(
    string Name, string Map, bool Simulated, string GameVersion, string Rate, uint StepSize, uint? Seed,
    string? Replay, IReadOnlyList<uint> Perspectives, IReadOnlyList<PlayerFacts> Players, string? Ended, bool Aborted)
{
    /// <summary>Collects the facts of a recording's match.</summary>
    /// <param name="recording">The recording.</param>
    /// <param name="end">How the match ended; null if that is unknown.</param>
    public static MatchFacts Of(RecordingReader recording, MatchEnd? end)
    {
        ArgumentNullException.ThrowIfNull(recording);
        var (match, results) = (recording.Description, end?.Results.ToLookup(result => result.PlayerId));
        return new MatchFacts(
            match.MatchId,
            match.MapName,
            match.Simulated,
            match.Ping?.GameVersion ?? "",
            match.Realtime ? "realtime" : match.Rate == 0 ? "max" : match.Rate.ToString(CultureInfo.InvariantCulture),
            match.StepSize,
            match.Replay.Length > 0 ? null : match.Seed,
            match.Replay.Length > 0 ? match.Replay : null,
            [.. recording.Perspectives],
            [
                .. match.Players.Select(player => new PlayerFacts(
                    player.PlayerId, player.Kind.Words(), player.Race.Words(), player.Difficulty, player.Name,
                    results?[player.PlayerId].FirstOrDefault()?.Result.ToString())),
            ],
            end?.Words(),
            end?.Aborted ?? false);
    }
}

/// <summary>One player.</summary>
/// <param name="PlayerId">The game's player id.</param>
/// <param name="Kind"><c>computer</c>, <c>agent</c>, <c>api</c>, <c>observer</c> or <c>participant</c>.</param>
/// <param name="Race">The requested race.</param>
/// <param name="Difficulty">The difficulty of a computer; empty for other players.</param>
/// <param name="Name">The name; may be empty.</param>
/// <param name="Result">Victory, Defeat …; null if unknown.</param>
public sealed record PlayerFacts(
    uint PlayerId, string Kind, string Race, string Difficulty, string Name, string? Result);

/// <summary>The length of the recorded match.</summary>
/// <param name="Began">When the first observation arrived; null if there are no observations.</param>
/// <param name="Seconds">The time between the arrivals of the first and the last observation.</param>
/// <param name="Observations">The number of observations of all perspectives.</param>
/// <param name="FirstStep">The lowest step.</param>
/// <param name="LastStep">The highest step.</param>
/// <param name="FirstLoop">The game loop of the first step.</param>
/// <param name="LastLoop">The game loop of the last step.</param>
/// <param name="GameSeconds">The time from the first to the last game loop, at 22.4 loops a second.</param>
public sealed record LengthFacts(
    DateTimeOffset? Began, double Seconds, long Observations, ulong FirstStep, ulong LastStep, uint FirstLoop,
    uint LastLoop, double GameSeconds);

/// <summary>The chunks and their compression.</summary>
/// <param name="Count">The number of chunks.</param>
/// <param name="RawBytes">The uncompressed size of their records.</param>
/// <param name="StoredBytes">The compressed size of their records.</param>
/// <param name="TimesFewer">The uncompressed size divided by the compressed size.</param>
public sealed record ChunkFigures(long Count, long RawBytes, long StoredBytes, double TimesFewer);

/// <summary>The messages of one channel.</summary>
/// <param name="Topic">The topic.</param>
/// <param name="Messages">The number of messages.</param>
/// <param name="RawBytes">The size of their data.</param>
/// <param name="StoredBytes">The compressed size of their data, estimated with the compression ratio of each chunk.</param>
public sealed record ChannelFigures(string Topic, long Messages, long RawBytes, double StoredBytes);

/// <summary>Missing observations.</summary>
/// <param name="Perspective">The perspective.</param>
/// <param name="FirstStep">The first missing step.</param>
/// <param name="Steps">The number of missing steps.</param>
/// <param name="Reason">The recorded reason; null if the recording has no entry for this gap.</param>
public sealed record GapRow(uint Perspective, ulong FirstStep, ulong Steps, string? Reason);

/// <summary>The statistics of one measured value.</summary>
/// <param name="Name">The value's name.</param>
/// <param name="Unit"><c>bytes</c> or <c>us</c>.</param>
/// <param name="Measured">The number of steps that have the value.</param>
/// <param name="Min">The minimum.</param>
/// <param name="P50">The median.</param>
/// <param name="P90">The 90th percentile.</param>
/// <param name="P99">The 99th percentile.</param>
/// <param name="Max">The maximum.</param>
/// <param name="Mean">The arithmetic mean.</param>
/// <param name="TrimmedMean">The 25 % trimmed mean: the lowest and the highest eighth of the values are left out.</param>
public sealed record MeasureRow(
    string Name, string Unit, long Measured, double Min, double P50, double P90, double P99, double Max, double Mean,
    double TrimmedMean);

/// <summary>Measured values along a match, which is divided into segments of consecutive steps.</summary>
/// <param name="Steps">The first step of each segment.</param>
/// <param name="GameLoops">The game loop of the first observation of each segment; null if the segment has no observation.</param>
/// <param name="Series">One series for each measured value.</param>
public sealed record AlongMatch(
    IReadOnlyList<ulong> Steps, IReadOnlyList<uint?> GameLoops, IReadOnlyList<AlongSeries> Series);

/// <summary>One measured value along a match.</summary>
/// <param name="Name">The value's name.</param>
/// <param name="Unit"><c>bytes</c> or <c>us</c>.</param>
/// <param name="Mean">The mean in each segment; null for a segment without a measured value.</param>
/// <param name="Max">The maximum in each segment.</param>
public sealed record AlongSeries(
    string Name, string Unit, IReadOnlyList<double?> Mean, IReadOnlyList<double?> Max);
