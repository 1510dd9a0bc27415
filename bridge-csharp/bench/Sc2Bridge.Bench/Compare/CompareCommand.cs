using System.CommandLine;
using Sc2Bridge.Games;
using static System.FormattableString;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Bench;

/// <summary>What measurements receive.</summary>
/// <param name="Recording">The file: all receive the same.</param>
/// <param name="From">The game loop to begin at; null for its first.</param>
/// <param name="Description">What it is, for the reader of the results.</param>
internal sealed record PlayedMatch(string Recording, uint? From, string Description);

/// <summary>The options of <c>sc2bridge compare</c>. Null, 0 or empty means the plan's default.</summary>
internal sealed record CompareOptions(
    bool Quick, bool Contents, int? Agents, uint? LinkMbit, string? Recording, uint? From, string[]? Only, long Rounds, TimeSpan? Seconds,
    IReadOnlyList<string> Pythons)
{
    public ComparisonPlan All(Means means) => (Agents, LinkMbit) is not (null, null)
        ? ComparisonPlan.Choice(means, Agents ?? 1, LinkMbit ?? 0)
        : Quick ? ComparisonPlan.Quick(means) : Contents ? ComparisonPlan.Contents(means) : ComparisonPlan.Full(means);

    public ComparisonPlan Plan(Means means)
    {
        var plan = All(means).Only(Only ?? []);
        return plan with
        {
            Rounds = Rounds > 0 ? (int)Rounds : plan.Rounds,
            Seconds = Seconds?.TotalSeconds ?? plan.Seconds,
        };
    }
}

/// <summary>The command <c>sc2bridge compare</c>: plan, measure, print, keep.</summary>
internal static class CompareCommand
{
    // Recorded steps of the late match. At max an agent may receive all of them.
    private const int QuickSteps = 256;
    private const int FullSteps = 2_048;

    // Mbit/s. JSON at 22.4 steps a second needs a speed between them.
    private static readonly double[] _links = [10, 100, 1000];

    internal static Command Create()
    {
        var quick = Flag("--quick", "the modes at 16 and 22.4 steps a second, within a minute");
        var contents = Flag("--contents", "each mode with observations and columns, with and without compression, for one agent and 64 (9 minutes)");
        var agents = PositiveNumber("--agents", "which way to take for one agent, and for N at once");
        var link = UnsignedNumber(
            "--link", "MBIT", "which way to take on this machine, and over a link of MBIT Mbit/s (Linux, root, iproute2)",
            "Mbit/s, a whole number");
        var recording = Text("--recording", null, "FILE", "compare over this recording (.mcap); else over a simulated match");
        var from = GameLoop("--from", "the game loop of the recording to begin at (default: the first)");
        var only = new Option<string[]>("--only")
        {
            HelpName = "WORD",
            Description = "only tables and measurements whose name has this word; once for each",
        };
        var rounds = Number("--rounds", 0, "N", "rounds of each measurement, 0 for the usual number", 0, 1_000);
        var seconds = Seconds("--seconds", null, "how long each measurement is received in a round");
        var pythons = BenchCommand.Pythons("; the first is the baseline's");
        return BenchCommand.Create(
            "compare",
            "Compares the transports, side by side, from the game to the agent.",
            [quick, contents, agents, link, recording, from, only, rounds, seconds, pythons, SendingProcess.Create(), ReceivingProcess.Create()],
            (parsed, ct) => MeasureAsync(
                new CompareOptions(
                    parsed.GetValue(quick), parsed.GetValue(contents), parsed.GetValue(agents), parsed.GetValue(link), parsed.GetValue(recording),
                    parsed.GetValue(from), parsed.GetValue(only), parsed.GetValue(rounds), parsed.GetValue(seconds),
                    BenchCommand.Named(parsed.GetValue(pythons))),
                ct),
            CompareTables.Print,
            report => report.IsWhole);
    }

    private static async Task<ComparisonReport> MeasureAsync(CompareOptions options, CancellationToken ct)
    {
        var machine = Machine.Describe();
        var means = new Means(options.Pythons.Count, Unix: !OperatingSystem.IsWindows(), Memory: OperatingSystem.IsLinux(), _links);
        var plan = options.Plan(means);
        await CheckAsync(options, plan, means);
        await PythonPeer.RequireAsync(options.Pythons, ct);
        List<string> left = [];
        if (plan.Measurements.Any(measurement => measurement.LinkMbit > 0) && await NetworkLink.ProblemAsync(ct) is { } problem)
        {
            left.Add(options.LinkMbit is null ? problem : throw new CommandException(Invariant($"--link {options.LinkMbit}: {problem}")));
            plan = options.Plan(means with { Links = [] });
        }

        Say(Invariant($"{plan.Measurements.Count} measurements, {plan.Rounds} rounds of {plan.Seconds} s: about ")
            + ComparisonRunner.Duration(plan.EstimateSeconds) + (options.Quick ? "" : "; --quick takes a minute"));
        using var folder = new TemporaryFolder();
        var match = await MatchAsync(options, plan, folder["received.mcap"], ct);
        await using var processes = new ProcessPool(options.Pythons, folder);
        var runs = await MeasureAsync(new ComparisonRunner(plan, match, processes), ct);
        return ComparisonReport.Of(machine, match.Description, plan, left, runs);
    }

    private static async Task<IReadOnlyList<MeasurementRun>> MeasureAsync(ComparisonRunner runner, CancellationToken ct)
    {
        using var ended = new CancellationTokenSource();
        var display = Task.Run(() => Consoles.CreateForError().ShowProgressAsync(runner.Rows, TimeProvider.System, ended.Token), CancellationToken.None);
        try
        {
            return await runner.RunAsync(ct);
        }
        finally
        {
            await ended.CancelAsync();
            await display;
        }
    }

    private static async Task CheckAsync(CompareOptions options, ComparisonPlan plan, Means means)
    {
        if (new[] { options.Quick, options.Contents, (options.Agents, options.LinkMbit) is not (null, null) }.Count(given => given) > 1)
        {
            throw new CommandException("--quick, --contents, and --agents with --link have tables of their own: use one of them");
        }

        if (plan.Factors.Count == 0)
        {
            throw new CommandException(
                $"--only {string.Join(' ', options.Only!)}: nothing is called so; the tables are "
                + string.Join(", ", options.All(means).Factors.Select(factor => factor.Name)));
        }

        if (options.Recording is { } recording)
        {
            await RecordedSource.Open(recording, new PlaybackOptions { From = options.From }).DisposeAsync();
        }
        else if (options.From is not null)
        {
            throw new CommandException("--from is of a recording: name one with --recording, or leave it out");
        }
    }

    private static async Task<PlayedMatch> MatchAsync(CompareOptions options, ComparisonPlan plan, string received, CancellationToken ct)
    {
        if (options.Recording is { } recording)
        {
            var file = new FileInfo(recording);
            var begin = options.From is { } loop ? $"game loop {loop}" : "its first step";
            return new PlayedMatch(file.FullName, options.From, Invariant($"{file.Name} ({file.Length:N0} bytes), from {begin} on"));
        }

        // As many as the fastest rate needs. At max no more than these are available.
        var steps = Math.Max(options.Quick ? QuickSteps : FullSteps, plan.StepsReceived);
        Say("playing the simulated match to its late steps");
        await SteppedMatch.RecordLateAsync(received, steps, ct);
        return new PlayedMatch(received, null, SteppedMatch.DescribeLate(steps));
    }

    private static void Say(string what) => Printing.PrintMessage($"sc2bridge compare: {what}");
}
