using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>What measurements receive.</summary>
/// <param name="Recording">The file: all receive the same.</param>
/// <param name="From">The game loop to begin at; null for its first.</param>
/// <param name="Description">What it is, as a reader of the results is told it.</param>
internal sealed record PlayedMatch(string Recording, uint? From, string Description);

/// <summary>One run of <c>sc2bridge compare</c>: plan, measure, print, keep.</summary>
internal sealed class CompareSession(CompareOptions options)
{
    // What an agent receives of the late match: at max it may receive all of it.
    private const int QuickSteps = 256;
    private const int FullSteps = 2_048;

    // Mbit/s: between them lies what JSON needs at 22.4 a second.
    private static readonly double[] Links = [10, 100, 1000];

    private readonly List<string> _left = [];

    /// <summary>Measures, prints, and writes what was asked for.</summary>
    internal async Task<int> RunAsync(CancellationToken ct)
    {
        using var folder = new ComparisonFolder(options.Folder);
        using var output = new CompareOutput(options, folder);
        var machine = Machine.Describe();
        CheckOnly();
        await CheckMatchAsync();
        await PythonPeer.RequireAsync(options.Pythons, ct);
        var plan = await FindAsync(ct);
        Say(Planned(plan) + (options.Quick ? "" : "; --quick takes a minute"));
        var match = await MatchAsync(folder, plan, ct);
        using var file = RunFile.Open(folder.Runs, RunHeader.Of(machine, match.Description, plan));
        if (file.Runs.Count(run => run.Problem is null) is > 0 and var before)
        {
            Say($"{before} measurements were made before and are not made again");
        }

        await using (var processes = new ProcessPool(options.Pythons, folder.Temporary))
        {
            await new ComparisonRunner(plan, match, processes, file, Say).RunAsync(ct);
        }

        var report = ComparisonReport.Of(machine, match.Description, plan, _left, file.Runs);
        CompareTables.Print(Consoles.Make(), report);
        output.Write(report);
        return report.IsWhole ? 0 : 1;
    }

    private Means Everything => new(options.Pythons.Count, Unix: !OperatingSystem.IsWindows(), Memory: OperatingSystem.IsLinux(), Links);

    private static string Planned(ComparisonPlan plan)
    {
        List<string> parts = [];
        if (plan.Measurements.Count > 0)
        {
            parts.Add(Invariant($"{plan.Measurements.Count} measurements, {plan.Rounds} rounds of {plan.Seconds} s"));
        }

        if (plan.Searches.Count > 0)
        {
            parts.Add($"{plan.Searches.Count} searches for a breaking point");
        }

        return $"{string.Join("; ", parts)}: about {ComparisonRunner.Duration(plan.Estimate.TotalSeconds)}";
    }

    private void CheckOnly()
    {
        if (Plan(Everything) is { Measurements.Count: 0, Searches.Count: 0 })
        {
            throw new CommandException(
                $"--only {string.Join(' ', options.Only)}: nothing is called so; the tables are "
                + string.Join(", ", ComparisonPlan.Full(Everything).Names));
        }
    }

    private async Task CheckMatchAsync()
    {
        if (options.Recording is { } recording)
        {
            await RecordedSource.Open(recording, new PlaybackOptions { From = options.From }).DisposeAsync();
        }
        else if (options.From is not null)
        {
            throw new CommandException("--from is of a recording: name one with --recording, or leave it out");
        }
    }

    private ComparisonPlan Plan(Means means)
    {
        var plan = (options.Quick ? ComparisonPlan.Quick(means) : ComparisonPlan.Full(means)).Only(options.Only);
        return plan with
        {
            Rounds = options.Rounds > 0 ? options.Rounds : plan.Rounds,
            Seconds = options.Seconds ?? plan.Seconds,
            SearchSeconds = options.Seconds ?? plan.SearchSeconds,
        };
    }

    // What is looked for is what some measurement of the plan would take.
    private async Task<ComparisonPlan> FindAsync(CancellationToken ct)
    {
        var plan = Plan(Everything);
        if (plan.Measurements.Any(measurement => measurement.LinkMbit > 0) && await NetworkLink.ProblemAsync(ct) is { } problem)
        {
            _left.Add($"slow links: {problem}");
            return Plan(Everything with { Links = [] });
        }

        return plan;
    }

    // One that is not recorded yet is recorded into the folder.
    private async Task<PlayedMatch> MatchAsync(ComparisonFolder folder, ComparisonPlan plan, CancellationToken ct)
    {
        if (options.Recording is { } recording)
        {
            var file = new FileInfo(recording);
            var begin = options.From is { } loop ? $"game loop {loop}" : "its first step";
            return new PlayedMatch(
                file.FullName, options.From, Invariant($"{file.Name} ({file.Length:N0} bytes), from {begin} on"));
        }

        // As many as the fastest rate needs, and at max no more than there is.
        var steps = Math.Max(options.Quick ? QuickSteps : FullSteps, plan.StepsReceived);
        folder.ForgetOld();
        if (!File.Exists(folder.Received))
        {
            Say("playing the simulated match to its late steps");
            await LateSlice.RecordAsync(folder.Received, steps, ct);
        }

        return new PlayedMatch(folder.Received, null, LateSlice.Describe(steps));
    }

    private static void Say(string what) => Console.Error.WriteLine($"sc2bridge compare: {what}");
}
