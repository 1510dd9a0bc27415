namespace Sc2Bridge.Cli;

/// <summary>One planned recording, in the JSON report.</summary>
/// <param name="Replay">The replay's file.</param>
/// <param name="Observe">The perspective: a player id, or 0 for an observer of all.</param>
/// <param name="File">The path of the recording.</param>
/// <param name="Ending">How the pass ended, such as <c>recorded</c> or <c>was_there</c>.</param>
/// <param name="Player">The perspective, in words.</param>
/// <param name="Result">How the match ended for the observed player. For an observer, the results of all players.</param>
/// <param name="GameLoop">The last game loop.</param>
/// <param name="Observations">The number of observations in the recording.</param>
/// <param name="Bytes">The size of the recording.</param>
/// <param name="Seconds">The duration of the pass.</param>
/// <param name="Problem">Why the pass failed, or what the broker did not accept; null if nothing is wrong.</param>
internal sealed record RecordedReplay(
    string Replay, uint Observe, string File, string Ending, string Player, string Result, uint GameLoop, long Observations, long Bytes,
    double Seconds, string? Problem);

/// <summary>The JSON report of <c>sc2bridge record</c>.</summary>
/// <param name="Recorded">The number of new recordings.</param>
/// <param name="WereThere">The number of recordings that existed already.</param>
/// <param name="Failed">The number of failed passes.</param>
/// <param name="Seconds">The duration of the whole command.</param>
/// <param name="Recordings">The outcome of each pass.</param>
internal sealed record RecordReport(int Recorded, int WereThere, int Failed, double Seconds, IReadOnlyList<RecordedReplay> Recordings)
{
    internal static RecordReport Of(IReadOnlyList<RecordOutcome> outcomes, TimeSpan duration) => new(
        Count(outcomes, RecordEnding.Recorded), Count(outcomes, RecordEnding.WasThere), Count(outcomes, RecordEnding.Failed),
        Rounded(duration),
        [
            .. outcomes.OrderBy(one => one.Pass.File, StringComparer.Ordinal).Select(one => new RecordedReplay(
                one.Pass.Replay, one.Pass.Observe, one.Pass.File, JsonReports.Word(one.Ending), one.Player, one.Result, one.GameLoop,
                one.Observations, one.Bytes, Rounded(one.Duration), one.Problem.Length > 0 ? one.Problem : one.Unpublished)),
        ]);

    private static int Count(IReadOnlyList<RecordOutcome> outcomes, RecordEnding ending) => outcomes.Count(one => one.Ending == ending);

    private static double Rounded(TimeSpan time) => Math.Round(time.TotalSeconds, 3);
}
