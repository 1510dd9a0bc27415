using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>One run of <c>sc2bridge compare</c>: plan, measure, print, keep.</summary>
internal sealed class CompareSession(CompareOptions options)
{
    // What an agent receives of the late match: at max it may receive all of it.
    private const int QuickSteps = 256;
    private const int FullSteps = 2_048;

    // Mbit/s: between them lies what JSON needs at 22.4 a second.
    private static readonly double[] Links = [10, 100, 1000];

    // Until the package is imported and has measured nothing, on a machine that is slow and busy.
    private static readonly TimeSpan PythonPatience = TimeSpan.FromSeconds(60);

    private readonly List<string> _left = [];

    /// <summary>Measures, prints, and writes what was asked for.</summary>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(CancellationToken ct)
    {
        using var folder = new ComparisonFolder(options.Folder);
        using var output = new CompareOutput(options, folder);
        var machine = Machine.Describe();
        CheckOnly();
        await ComparisonMatch.CheckAsync(options);
        await CheckPythonsAsync(ct);
        await output.CheckAsync(Painter, ct);
        var (means, words) = await FindAsync(ct);
        var plan = Plan(means);
        var steps = Steps(plan);
        Say(Planned(plan) + (options.Quick ? "" : "; --quick takes a minute"));
        var match = await ComparisonMatch.HaveAsync(options, folder, steps, Say, ct);
        using var file = RunFile.Open(folder.Runs, RunHeader.Of(machine, match.Description, plan));
        using var scaling = plan.Scale is { } scale
            ? RunFile.Open(folder.ScaleRuns, RunHeader.Of(machine, match.Description, scale))
            : null;
        if (file.Runs.Concat(scaling?.Runs ?? []).Count(run => run.Problem is null) is > 0 and var before)
        {
            Say($"{before} measurements were made before and are not made again");
        }

        var code = 1;
        await ComparisonState.KeepAsync(folder.IsKept ? folder.Path : null, async keep =>
        {
            if (options.IsDetached)
            {
                CompareBackground.Leave(folder.Log);
            }

            await using (var processes = new ProcessPool(words, folder.Temporary))
            {
                var isSimulated = options is { Recording: null, Attach: null };
                var measuring = new CompareMeasuring(plan, match.Received, isSimulated, folder.Path, processes);
                await CompareProgress.ShowAsync(
                    Consoles.Make(), show => measuring.RunAsync(file, scaling, keep + show, ct));
            }

            var report = ComparisonReport.Of(
                machine, match.Description, plan, _left, file.Runs, scaling?.Runs ?? []) with
            {
                Game = match.Game,
            };
            CompareTables.Print(Consoles.Make(), report);
            await output.WriteAsync(report, Painter, ct);
            code = report.IsWhole ? 0 : 1;
        });
        return code;
    }

    private string Painter => options.Pythons[0];

    // A recording needs zstd, and every measurement receives one.
    private Means Everything => new(
        options.Pythons.Count, Node: true, Unix: !OperatingSystem.IsWindows(), Links, PythonSc2: 0);

    private static string Planned(ComparisonPlan plan)
    {
        List<string> parts = [];
        if (plan.Measurements.Count > 0)
        {
            parts.Add(Invariant($"{plan.Measurements.Count} measurements, {plan.Rounds} rounds of {plan.Seconds} s"));
        }

        if (plan.Scale is { } scale)
        {
            if (scale.Series.Measurements.Count is > 0 and var points)
            {
                parts.Add(Invariant($"{points} shorter ones of scale, {scale.Series.Rounds} rounds of ")
                    + Invariant($"{scale.Series.Seconds} s"));
            }

            parts.AddRange(scale.Searches.Count > 0 ? [$"{scale.Searches.Count} searches for a breaking point"] : []);
            parts[^1] += $" ({CompareProgress.Duration(scale.Estimate.TotalSeconds)} for scale)";
        }

        return $"{string.Join("; ", parts)}: about {CompareProgress.Duration(plan.Estimate.TotalSeconds)}";
    }

    // What is missing is said before minutes are spent.
    private async Task CheckPythonsAsync(CancellationToken ct)
    {
        foreach (var python in options.Pythons)
        {
            if (string.IsNullOrWhiteSpace(python))
            {
                throw new CommandException(
                    "--python: name an interpreter, or leave it out for the one that was set up");
            }

            using var hanging = CancellationTokenSource.CreateLinkedTokenSource(ct);
            hanging.CancelAfter(PythonPatience);
            try
            {
                await new PythonPeer(python).CodecsAsync(null, [], hanging.Token);
            }
            catch (CommandException absent)
            {
                throw Unusable(python, absent.Message);
            }
            catch (OperationCanceledException) when (!ct.IsCancellationRequested)
            {
                throw Unusable(python, $"it did not answer within {PythonPatience.TotalSeconds:0} s");
            }
        }
    }

    private static CommandException Unusable(string python, string problem) => new(
        $"{python} cannot measure ({problem}): name an interpreter that has the sc2bridge package with --python");

    private void CheckOnly()
    {
        if (options.Only.Any(string.IsNullOrWhiteSpace))
        {
            throw new CommandException("--only: name tables or measurements, or leave it out for all");
        }

        if (Wanted(Everything) is { Measurements.Count: 0, Scale: null })
        {
            throw new CommandException(
                $"--only {string.Join(' ', options.Only)}: nothing is called so; the tables are "
                + string.Join(", ", ComparisonPlan.Full(Everything).Names));
        }
    }

    private ComparisonPlan Wanted(Means means) =>
        (options.Quick ? ComparisonPlan.Quick(means) : ComparisonPlan.Full(means)).Only(options.Only);

    private ComparisonPlan Plan(Means means)
    {
        var plan = Wanted(means);
        return plan with
        {
            Rounds = options.Rounds > 0 ? options.Rounds : plan.Rounds,
            Seconds = options.Seconds ?? plan.Seconds,
            Scale = plan.Scale?.Taking(options.Rounds, options.Seconds),
        };
    }

    // What is looked for is what some measurement of the plan would take.
    private async Task<(Means Means, ProgramWords Words)> FindAsync(CancellationToken ct)
    {
        var wanted = Wanted(Everything).Measurements;
        IReadOnlyList<string> node = [];
        if (wanted.Any(measurement => measurement.Agent == AgentKind.Node))
        {
            try
            {
                node = await NodePeer.WordsAsync("receive.js", ct);
            }
            catch (CommandException absent)
            {
                _left.Add($"agents in Node: {absent.Message}");
            }
        }

        var pythonSc2 = wanted.Any(measurement => measurement.Sender == Sender.Game) ? await FindPythonSc2Async(ct) : null;
        var links = wanted.Any(measurement => measurement.LinkMbit > 0) ? Links : [];
        if (links.Length > 0 && await NetworkLink.ProblemAsync(ct) is { } problem)
        {
            _left.Add($"slow links: {problem}");
            links = [];
        }

        return (
            Everything with { Node = node.Count > 0, Links = links, PythonSc2 = pythonSc2, Loops = await LoopsAsync() },
            new ProgramWords(OwnProgram.Words, options.Pythons, node));
    }

    private async Task<int?> FindPythonSc2Async(CancellationToken ct)
    {
        foreach (var (index, python) in options.Pythons.Index())
        {
            try
            {
                await new PythonPeer(python).CheckPythonSc2Async(ct);
                return index;
            }
            catch (CommandException)
            {
                // Perhaps the next one has it.
            }
        }

        _left.Add("python-sc2's own polling of the game: name a Python with --python that has burnysc2 "
            + "(pip install burnysc2)");
        return null;
    }

    private async Task<IReadOnlyList<uint>> LoopsAsync() => options.Recording is { } recording
        ? await ScaleMatches.LoopsAsync(recording, options.From)
        : options.Attach is null ? ScaleMatches.SimulatedLoops : [];

    // As many as the fastest rate needs, and at max no more than there is.
    private int Steps(ComparisonPlan plan) => Math.Max(options.Quick ? QuickSteps : FullSteps, plan.StepsReceived);

    private static void Say(string what) => Console.Error.WriteLine($"sc2bridge compare: {what}");
}
