using System.Globalization;
using Sc2Bridge.Comparing.Cells;
using Sc2Bridge.Comparing.Reporting;
using Sc2Bridge.Comparing.Results;
using Sc2Bridge.Comparing.Running;
using Sc2Bridge.Measuring;
using Sc2Bridge.Measuring.Peers;
using Spectre.Console;

namespace Sc2Bridge.Cli;

/// <summary>One run of <c>sc2bridge compare</c>: plan, measure, print, keep.</summary>
internal sealed class CompareSession(CompareOptions options)
{
    // What an agent hears of the late match: at max it may hear all of it.
    private const int QuickSteps = 256;
    private const int FullSteps = 2_048;

    // Mbit/s: between them lies what JSON needs at 22.4 a second.
    private static readonly double[] Links = [10, 100, 1000];

    private readonly IAnsiConsole _console = Consoles.Make();
    private readonly List<string> _left = [];

    /// <summary>Measures, prints, and writes what was asked for.</summary>
    /// <returns>The exit code.</returns>
    internal async Task<int> RunAsync(CancellationToken ct)
    {
        using var folder = new ComparisonFolder(options.Folder);
        using var json = ResultFile.Open(options.JsonFile);
        using var csv = ResultFile.Open(options.CsvFile);
        using var html = ResultFile.Open(options.HtmlFile);
        using var picture = ResultFile.Open(options.PictureFile);
        var machine = Machine.Describe();
        CheckOnly();
        await ComparisonMatch.CheckAsync(options);
        await CheckPythonsAsync(ct);
        if (picture is not null)
        {
            await Painter.CheckAsync(picture.Path, ct);
        }

        var (means, words) = await FindAsync(ct);
        var plan = Plan(means);
        var steps = Steps(plan);
        Say(string.Create(
            CultureInfo.InvariantCulture,
            $"{plan.Cells.Count} cells, {plan.Rounds} rounds of {plan.Seconds} s: about ")
            + Duration(plan.Estimate) + (options.Quick ? "" : "; --quick takes a minute"));

        var match = await ComparisonMatch.HaveAsync(options, folder, steps, Say, ct);
        using var file = RunFile.Open(folder.Runs, RunHeader.Of(machine, match.Description, plan));
        if (file.Runs.Count > 0)
        {
            Say($"{file.Runs.Count} cells were measured before and are not measured again");
        }

        await using (var processes = new ProcessPool(words))
        {
            var runner = new ComparisonRunner(plan, match.Heard, processes);
            await CompareProgress.ShowAsync(_console, show => runner.RunAsync(file.Runs, file.Add, show, ct));
        }

        var report = ComparisonReport.Of(machine, match.Description, plan, _left, file.Runs) with
        {
            Game = match.Game,
        };
        CompareTables.Print(_console, report);
        var text = ReportFile.Text(report);
        json?.Write(text);
        csv?.Write(ComparisonCsv.Text(report));
        html?.Write(HtmlReport.Text(report));
        if (picture is not null)
        {
            await Painter.DrawAsync(PictureKind.Comparison, text, picture.Path, ct);
            picture.Keep();
        }

        return report.Tables.All(table => table.Rows.All(row => row.Rounds > 0)) ? 0 : 1;
    }

    private PythonPeer Painter => new(options.Pythons[0]);

    // A recording needs zstd, and every cell hears one.
    private Means Everything => new(
        options.Pythons.Count, Node: true, Zstd: true, Unix: !OperatingSystem.IsWindows(), Links, PythonSc2: 0);

    private static string Duration(TimeSpan time) => time.TotalMinutes < 2
        ? string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0} s")
        : string.Create(CultureInfo.InvariantCulture, $"{time.TotalMinutes:0} minutes");

    // What is missing is said before minutes are spent.
    private async Task CheckPythonsAsync(CancellationToken ct)
    {
        foreach (var python in options.Pythons)
        {
            try
            {
                await new PythonPeer(python).CodecsAsync(null, [], ct);
            }
            catch (MeasuringException absent)
            {
                throw new CommandException(
                    $"{python} cannot measure ({absent.Message}): name an interpreter that has the sc2bridge package "
                    + "with --python",
                    absent);
            }
        }
    }

    private void CheckOnly()
    {
        if (Wanted(Everything).Cells.Count == 0)
        {
            throw new CommandException(
                $"--only {string.Join(' ', options.Only)}: nothing is called so; the tables are "
                + string.Join(", ", ComparisonPlan.Full(Everything).Factors.Select(factor => factor.Name)));
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
        };
    }

    // What is looked for is what some cell of the plan would take.
    private async Task<(Means Means, ProgramWords Words)> FindAsync(CancellationToken ct)
    {
        var wanted = Wanted(Everything).Cells;
        IReadOnlyList<string> node = [];
        if (wanted.Any(cell => cell.Agent == AgentKind.Node))
        {
            try
            {
                node = await NodePeer.WordsAsync("hear.js", ct);
            }
            catch (MeasuringException absent)
            {
                _left.Add($"agents in Node: {absent.Message}");
            }
        }

        var pythonSc2 = wanted.Any(cell => cell.Sender == Sender.Game) ? await FindPythonSc2Async(ct) : null;
        var links = wanted.Any(cell => cell.LinkMbit > 0) ? Links : [];
        if (links.Length > 0 && await NetworkLink.ProblemAsync(ct) is { } problem)
        {
            _left.Add($"slow links: {problem}");
            links = [];
        }

        return (
            Everything with { Node = node.Count > 0, Links = links, PythonSc2 = pythonSc2 },
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
            catch (MeasuringException)
            {
                // Perhaps the next one has it.
            }
        }

        _left.Add("python-sc2's own polling of the game: name a Python with --python that has burnysc2 "
            + "(pip install burnysc2)");
        return null;
    }

    // As many as the fastest rate needs, and at max no more than there is.
    private int Steps(ComparisonPlan plan) => Math.Max(
        options.Quick ? QuickSteps : FullSteps,
        (int)Math.Ceiling((plan.WarmUpSeconds + plan.Seconds + 1) * Cell.GameRate));

    private static void Say(string what) => Console.Error.WriteLine($"sc2bridge compare: {what}");
}
