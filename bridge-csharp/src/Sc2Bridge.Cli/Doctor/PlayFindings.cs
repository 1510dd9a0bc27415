using System.Globalization;
using Sc2Bridge.Games;

namespace Sc2Bridge.Cli;

/// <summary>Describes the comparison of a game with the simulated game.</summary>
internal static class PlayFindings
{
    private const string Advice = "Attach the report to an issue of sc2bridge: it shows where the bridge or the simulated game is wrong";

    /// <summary>The findings of the comparison.</summary>
    internal static IEnumerable<Finding> Of(GameCheckReport check)
    {
        yield return new Finding(
            "game", Verdict.Ok,
            $"{check.GameVersion} (build {check.BaseBuild}, data {check.DataBuild} {check.DataVersion}) on {check.Map}");
        foreach (var part in check.Parts)
        {
            yield return OfPart(part, check);
        }

        var unknown = check.Differences.Count(difference => difference.Known is null);
        var known = check.Differences.Count - unknown;
        var compared = $"{check.CommonFields} fields in {check.Observations} observations, and {check.Requests} answers";
        yield return check.Differences.Count == 0
            ? new Finding("differences", Verdict.Ok, $"none in {compared}")
            : new Finding(
                "differences", unknown == 0 ? Verdict.Ok : Verdict.Note,
                $"{unknown} new, {known} known for this build, in {compared}", unknown == 0 ? "" : Advice);
    }

    /// <summary>One line for each difference.</summary>
    internal static IEnumerable<string> DescribeDifferences(GameCheckReport check) => check.Differences.Select(difference =>
        $"{(difference.Known is null ? "new" : "known")}: {difference.Kind} {difference.What}: the game: {difference.Game}; simulated: "
        + $"{difference.Simulated} ({string.Join(", ", difference.In)}){(difference.Known is { } known ? $": {known}" : "")}");

    private static Finding OfPart(CheckedPart part, GameCheckReport check)
    {
        if (part.Problem is { } problem)
        {
            // StarCraft II needs seconds to reach each state, so the time can be over before the last state.
            return part.Name == "requests" && check.Requests > 0
                ? new Finding(part.Name, Verdict.Note, $"{problem}: {check.RequestsNotCompared} requests were not compared")
                : new Finding(part.Name, Verdict.Problem, problem, Advice);
        }

        List<string> facts = [.. part.Times.Select(time =>
            $"{time.Request} {Number(time.GameMedianMs)} ms (simulated {(time.SimulatedMedianMs is { } other ? Number(other) : "?")})")];
        if (part.Name == "real time" && check.LoopsPerSecond is { } speed)
        {
            facts = [$"{Number(speed)} game loops a second (simulated {(check.SimulatedLoopsPerSecond is { } other ? Number(other) : "?")})"];
        }
        else if (part.Name == "requests")
        {
            facts = [$"{check.Requests} answers, {check.RequestsNotCompared} not compared"];
        }

        var found = $"{string.Join(", ", facts)}, in {Number(part.Seconds)} s";
        return part.SimulatedProblem is { } failed
            ? new Finding(part.Name, Verdict.Note, $"{found}; the simulated game: {failed}", Advice)
            : new Finding(part.Name, Verdict.Ok, found);
    }

    private static string Number(double value) => value.ToString("0.0", CultureInfo.InvariantCulture);
}
