using System.Globalization;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>What a recording holds, from a look at all of it. What is not known is null.</summary>
/// <param name="File">As it was named.</param>
/// <param name="FileBytes">Its length.</param>
/// <param name="Library">Who wrote it.</param>
/// <param name="Damage">
/// What is wrong with it, each as a line that says what to do, the first twenty; empty where every byte is as it was
/// written.
/// </param>
/// <param name="Match">The match.</param>
/// <param name="Length">How long it is.</param>
/// <param name="Chunks">How many, and what compressing them gained.</param>
/// <param name="Channels">Sizes by channel.</param>
/// <param name="Attachments">What is attached, in bytes by name.</param>
/// <param name="Gaps">Observations that are missing; the first 10,000 gaps.</param>
/// <param name="Measures">Sizes and times of steps.</param>
/// <param name="Along">The same along the match.</param>
/// <param name="Analysis">Fights and what else decided the match; null unless it was requested.</param>
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

/// <summary>Which match it was.</summary>
/// <param name="Name">The match's.</param>
/// <param name="Map">The map's name.</param>
/// <param name="Simulated">True where the game was the simulated one: the figures are not StarCraft II's.</param>
/// <param name="GameVersion">As the game says it.</param>
/// <param name="Rate"><c>max</c>, <c>realtime</c> or steps a second.</param>
/// <param name="StepSize">Game loops in a step; 0 in real time, and if bots made their own steps.</param>
/// <param name="Seed">The game's random seed; null where it was a replay, which does not tell it.</param>
/// <param name="Replay">The replay that the game played; null in any other match.</param>
/// <param name="Perspectives">Whose observations there are.</param>
/// <param name="Players">Who played.</param>
/// <param name="Ended">Why it ended; null where the recording was not closed.</param>
/// <param name="Aborted">True where the game failed.</param>
public sealed record MatchFacts(
    string Name, string Map, bool Simulated, string GameVersion, string Rate, uint StepSize, uint? Seed,
    string? Replay, IReadOnlyList<uint> Perspectives, IReadOnlyList<PlayerFacts> Players, string? Ended, bool Aborted)
{
    /// <summary>The facts that a recording has of its match.</summary>
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
/// <param name="PlayerId">The game's number.</param>
/// <param name="Kind"><c>computer</c>, <c>agent</c>, <c>api</c>, <c>observer</c> or <c>participant</c>.</param>
/// <param name="Race">As asked for.</param>
/// <param name="Difficulty">Empty where it is no computer.</param>
/// <param name="Name">May be empty.</param>
/// <param name="Result">Victory, Defeat …; null where that is not known.</param>
public sealed record PlayerFacts(
    uint PlayerId, string Kind, string Race, string Difficulty, string Name, string? Result);

/// <summary>How long a match is, as it was recorded.</summary>
/// <param name="Began">When its first observation arrived; null where there is none.</param>
/// <param name="Seconds">From there to the last one's arrival.</param>
/// <param name="Observations">Of all perspectives.</param>
/// <param name="FirstStep">The least step.</param>
/// <param name="LastStep">The greatest.</param>
/// <param name="FirstLoop">The first observation's game loop.</param>
/// <param name="LastLoop">The last one's.</param>
/// <param name="GameSeconds">Between these two, at 22.4 loops a second.</param>
public sealed record LengthFacts(
    DateTimeOffset? Began, double Seconds, long Observations, ulong FirstStep, ulong LastStep, uint FirstLoop,
    uint LastLoop, double GameSeconds);

/// <summary>What compressing gained.</summary>
/// <param name="Count">Chunks.</param>
/// <param name="RawBytes">Their records.</param>
/// <param name="StoredBytes">The same, compressed.</param>
/// <param name="TimesFewer">How many times fewer bytes that are.</param>
public sealed record ChunkFigures(long Count, long RawBytes, long StoredBytes, double TimesFewer);

/// <summary>The messages of one channel.</summary>
/// <param name="Topic">Its name.</param>
/// <param name="Messages">How many.</param>
/// <param name="RawBytes">Their data.</param>
/// <param name="StoredBytes">Their share of the compressed chunks, by what they have of the records in each.</param>
public sealed record ChannelFigures(string Topic, long Messages, long RawBytes, double StoredBytes);

/// <summary>Observations that are missing.</summary>
/// <param name="Perspective">Whose.</param>
/// <param name="FirstStep">The first of them.</param>
/// <param name="Steps">How many.</param>
/// <param name="Reason">Why, as the recording tells; null where it tells nothing of it.</param>
public sealed record GapRow(uint Perspective, ulong FirstStep, ulong Steps, string? Reason);

/// <summary>One figure of steps.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Unit"><c>bytes</c> or <c>us</c>.</param>
/// <param name="Measured">Steps that have it.</param>
/// <param name="Min">The least.</param>
/// <param name="P50">The median.</param>
/// <param name="P90">The 90th percentile.</param>
/// <param name="P99">The 99th.</param>
/// <param name="Max">The greatest.</param>
/// <param name="Mean">The plain mean.</param>
/// <param name="TrimmedMean">The 25 % trimmed mean: an eighth dropped at each end.</param>
public sealed record MeasureRow(
    string Name, string Unit, long Measured, double Min, double P50, double P90, double P99, double Max, double Mean,
    double TrimmedMean);

/// <summary>Figures along a match, each of some consecutive steps.</summary>
/// <param name="Steps">The first step of each place.</param>
/// <param name="GameLoops">The game loop there; null where no observation tells.</param>
/// <param name="Series">The figures.</param>
public sealed record AlongMatch(
    IReadOnlyList<ulong> Steps, IReadOnlyList<uint?> GameLoops, IReadOnlyList<AlongSeries> Series);

/// <summary>One figure along a match.</summary>
/// <param name="Name">What was measured.</param>
/// <param name="Unit"><c>bytes</c> or <c>us</c>.</param>
/// <param name="Mean">By place; null where nothing was measured.</param>
/// <param name="Max">The greatest there.</param>
public sealed record AlongSeries(
    string Name, string Unit, IReadOnlyList<double?> Mean, IReadOnlyList<double?> Max);
