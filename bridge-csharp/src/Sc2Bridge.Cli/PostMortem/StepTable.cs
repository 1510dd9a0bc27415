using System.Globalization;

namespace Sc2Bridge.Cli;

/// <summary>A row of <c>steps.csv</c>.</summary>
internal readonly record struct StepLogRow(ulong Step, uint GameLoop, uint Perspective, double? GameUs);

/// <summary>The times that an agent reported for a step: a row of <c>agents.csv</c>.</summary>
/// <param name="Step">The step.</param>
/// <param name="Agent">The agent's name.</param>
/// <param name="DeliveredUs">The time from the game's answer until the agent had the message.</param>
/// <param name="OwnUs">The time of the agent's own work.</param>
internal readonly record struct AgentRow(ulong Step, string Agent, double? DeliveredUs, double OwnUs);

/// <summary>The last rows of a match's <c>steps.csv</c> and <c>agents.csv</c>. Incomplete rows are skipped.</summary>
internal sealed class StepTable
{
    // Enough for thirty seconds of two sides, and for sixteen agents.
    private const int KeptSteps = 2 * (int)PostMortemWriter.Loops;
    private const int KeptReports = 16 * (int)PostMortemWriter.Loops;
    private const int KeptSlow = 100;

    private readonly Dictionary<(uint Perspective, ulong Step), uint> _loops = [];
    private readonly Dictionary<ulong, uint> _anyLoops = [];

    /// <param name="folder">The match's folder.</param>
    /// <param name="wanted">Older steps whose game loops are needed too.</param>
    /// <param name="ct">Stops reading. The table is then empty.</param>
    internal StepTable(string folder, IEnumerable<(uint Perspective, ulong Step)> wanted, CancellationToken ct)
    {
        var (reports, slowReports) = (new Queue<AgentRow>(), new Queue<AgentRow>());
        foreach (var cells in Rows(Path.Combine(folder, "agents.csv"), ct))
        {
            // Bots have only the number of their actions in their rows.
            if (cells is [_, _, not "api", ..] && cells.Length == 7 && ulong.TryParse(cells[0], out var step) && (Number(cells[4]), Number(cells[5])) is var (decode, think)
                && (decode ?? think) is not null)
            {
                var row = new AgentRow(step, cells[1], Number(cells[3]), (decode ?? 0) + (think ?? 0));
                if (row.OwnUs >= StepSpans.SlowUs)
                {
                    Add(slowReports, KeptSlow, row);
                }

                Add(reports, KeptReports, row);
            }
        }

        (Reports, SlowReports) = ([.. reports], [.. slowReports]);

        var searched = wanted.ToHashSet();
        var reported = SlowReports.Select(report => report.Step).ToHashSet();
        var (steps, slowSteps) = (new Queue<StepLogRow>(), new Queue<StepLogRow>());
        foreach (var cells in Rows(Path.Combine(folder, "steps.csv"), ct))
        {
            if (cells is [_, { Length: > 0 }, ..] && ulong.TryParse(cells[0], out var step) && uint.TryParse(cells[1], out var loop)
                && uint.TryParse(cells[^1], out var perspective))
            {
                if (reported.Contains(step))
                {
                    _anyLoops[step] = loop;
                }

                if (searched.Contains((perspective, step)))
                {
                    _loops[(perspective, step)] = loop;
                }

                var row = new StepLogRow(step, loop, perspective, Number(cells[2]));
                if (row.GameUs >= StepSpans.SlowUs)
                {
                    Add(slowSteps, KeptSlow, row);
                }

                Add(steps, KeptSteps, row);
            }
        }

        (Steps, SlowSteps) = ([.. steps], [.. slowSteps]);
        if (ct.IsCancellationRequested)
        {
            // Older rows would be taken for the last ones.
            (Steps, SlowSteps, Reports, SlowReports) = ([], [], [], []);
            _loops.Clear();
        }

        foreach (var row in Steps)
        {
            _loops[(row.Perspective, row.Step)] = row.GameLoop;
        }
    }

    /// <summary>The last steps.</summary>
    internal IReadOnlyList<StepLogRow> Steps { get; }

    /// <summary>The last slow steps of the game, in the whole match.</summary>
    internal IReadOnlyList<StepLogRow> SlowSteps { get; }

    /// <summary>The last reports of agents.</summary>
    internal IReadOnlyList<AgentRow> Reports { get; }

    /// <summary>The last slow reports of agents, in the whole match.</summary>
    internal IReadOnlyList<AgentRow> SlowReports { get; }

    /// <summary>The game loop of a step; null if unknown. If the step has no row, the game loop of the last row of its perspective before it.</summary>
    internal uint? LoopOf(uint perspective, ulong step) => _loops.TryGetValue((perspective, step), out var loop) ? loop
        : Steps.Where(row => row.Perspective == perspective && row.Step <= step).Select(row => (uint?)row.GameLoop).LastOrDefault();

    /// <summary>The game loop of a step in <see cref="SlowReports"/>; null if unknown. The game loops of the sides hardly differ.</summary>
    internal uint? LoopOfReport(ulong step) => _anyLoops.TryGetValue(step, out var loop) ? loop : null;

    private static void Add<T>(Queue<T> rows, int most, T row)
    {
        if (rows.Count == most)
        {
            rows.Dequeue();
        }

        rows.Enqueue(row);
    }

    private static IEnumerable<string[]> Rows(string path, CancellationToken ct)
    {
        var file = File.Exists(path) ? path : PartialFile.PathFor(path);
        if (!File.Exists(file))
        {
            yield break;
        }

        using var reader = new StreamReader(new FileStream(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));
        while (!ct.IsCancellationRequested && reader.ReadLine() is { } line)
        {
            yield return line.Split(',');
        }
    }

    private static double? Number(string cell) =>
        double.TryParse(cell, NumberStyles.Float, CultureInfo.InvariantCulture, out var number) ? number : null;
}
