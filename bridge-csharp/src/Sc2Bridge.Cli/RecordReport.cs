namespace Sc2Bridge.Cli;

/// <summary>One recording that was to be made, for machines.</summary>
/// <param name="Replay">The replay's file.</param>
/// <param name="Observe">Whose eyes: a player id, or 0 for an observer of all.</param>
/// <param name="File">The recording's.</param>
/// <param name="Ending">Its ending, such as <c>recorded</c> or <c>was_there</c>.</param>
/// <param name="Player">Whose eyes, in words.</param>
/// <param name="Result">How the match ended for that player.</param>
/// <param name="GameLoop">The last one.</param>
/// <param name="Observations">In the recording.</param>
/// <param name="Bytes">The recording's.</param>
/// <param name="Seconds">How long it took.</param>
/// <param name="Problem">Why it failed, or what the broker did not take; null if nothing is wrong.</param>
internal sealed record RecordedReplay(
    string Replay, uint Observe, string File, string Ending, string Player, string Result, uint GameLoop, long Observations, long Bytes,
    double Seconds, string? Problem);

/// <summary>What <c>sc2bridge record</c> leaves for machines.</summary>
/// <param name="Recorded">How many were made.</param>
/// <param name="WereThere">How many were there already.</param>
/// <param name="Failed">How many failed.</param>
/// <param name="Seconds">From the first to the last.</param>
/// <param name="Recordings">Each of them.</param>
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
