using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Cli;

/// <summary>Divides the time of each step among the agents, the bridge and the game.</summary>
/// <remarks>
/// The game's time ends with its answer. The rest, until the bridge's next request to the game, is the time of the agents and of the bridge. Agents
/// report their times. If the match does not run as fast as possible, the rest contains waiting, and the bridge's time is unknown. A pause of the whole
/// bridge counts as the bridge's time. If an agent received a frame very late without such a pause, this time counts as the agent's.
/// </remarks>
internal sealed class StepSpans
{
    // The most spans that are listed.
    private const int MostSpans = 10;

    // The most steps that are listed: thirty seconds, if each game loop is a step.
    private const int MostSteps = (int)PostMortemWriter.Loops;

    // A longer delivery counts as the agent's time, because the bridge delivers in milliseconds.
    private const double LateDeliveryUs = 1e6;

    private readonly EndFacts _facts;
    private readonly ILookup<ulong, AgentRow> _reports;
    private readonly List<PostMortemStep> _steps = [];
    private readonly List<PostMortemSpan> _spans = [];

    /// <param name="facts">The agents' missed deadlines, the bots' times and the bridge's pauses.</param>
    /// <param name="table">The rows of the step log, and the agents' reports.</param>
    /// <param name="recorded">The recorded steps with their times; empty without a recording.</param>
    /// <param name="isFastest">Whether the bridge's time is known, because the match runs as fast as possible.</param>
    internal StepSpans(EndFacts facts, StepTable table, IReadOnlyList<RecordedStep> recorded, bool isFastest)
    {
        _facts = facts;
        _reports = table.Reports.ToLookup(row => row.Step);
        foreach (var side in recorded.GroupBy(step => step.Perspective))
        {
            RecordedStep[] steps = [.. side];
            var bot = facts.Bots.FirstOrDefault(one => one.Player == side.Key);
            var botSteps = bot?.Steps.GroupBy(step => step.GameLoop).ToDictionary(group => group.Key, group => group.Last());
            for (var at = 0; at < steps.Length; at++)
            {
                RecordedStep? next = at + 1 < steps.Length ? steps[at + 1] : null;
                if (botSteps is null)
                {
                    Add(steps[at], next, isFastest);
                }
                else
                {
                    AddOfBot(bot!.Player, botSteps, steps[at], isFastest ? next : null);
                }
            }
        }

        if (recorded.Count == 0)
        {
            foreach (var row in table.Steps)
            {
                var own = SlowestAgent(row.Perspective, row.Step, 0, false);
                Add(new PostMortemStep(row.GameLoop, row.Perspective, own?.Us, null, row.GameUs), own?.Who);
            }
        }

        AddSlowOfWholeMatch(table);
        Steps = [.. _steps.OrderBy(step => step.GameLoop).TakeLast(MostSteps)];
        Slowest = [.. _spans.OrderByDescending(span => span.Us).DistinctBy(span => (span.GameLoop, span.Who)).Take(MostSpans)];
    }

    /// <summary>A span of this length counts as slow, in microseconds.</summary>
    internal const double SlowUs = 5e6;

    // Steps before the recorded part can also be slow.
    private void AddSlowOfWholeMatch(StepTable table)
    {
        foreach (var row in table.SlowSteps)
        {
            // Subtracts a pause of the bridge during the game's answer. The newest observation was then that of an earlier step.
            var pauseUs = _facts.Pauses.Where(pause => pause.GameLoop <= row.GameLoop && pause.Us <= row.GameUs && row.GameUs - pause.Us < SlowUs
                    && table.Steps.All(other => other.GameLoop <= pause.GameLoop || other.GameLoop >= row.GameLoop))
                .Select(pause => pause.Us).DefaultIfEmpty().Max();
            _spans.Add(new PostMortemSpan(row.GameLoop, "game", row.GameUs!.Value - pauseUs));
        }

        _spans.AddRange(_facts.Pauses.Select(pause => new PostMortemSpan(pause.GameLoop, "bridge", pause.Us)));
        foreach (var bot in _facts.Bots)
        {
            _spans.AddRange(bot.Steps.Select(step => new PostMortemSpan(step.GameLoop, $"bot of player {bot.Player}", step.BotNs / 1e3)));
            _spans.AddRange(bot.Steps.Select(step => new PostMortemSpan(step.GameLoop, "game", step.GameNs / 1e3)));
        }

        foreach (var report in table.SlowReports)
        {
            if (table.LoopOfReport(report.Step) is { } loop)
            {
                _spans.Add(new PostMortemSpan(loop, $"agent {report.Agent}", report.OwnUs));
            }
        }
    }

    /// <summary>The times of the last steps.</summary>
    internal IReadOnlyList<PostMortemStep> Steps { get; }

    /// <summary>The slowest spans, the slowest first.</summary>
    internal IReadOnlyList<PostMortemSpan> Slowest { get; }

    private void Add(in RecordedStep step, RecordedStep? next, bool isFastest)
    {
        var gamePauseUs = PauseUs(step.RequestedNs, step.ObservedNs);
        var gameUs = Math.Max(0, ((step.ObservedNs - step.RequestedNs) / 1e3) - gamePauseUs);
        double? restUs = next is { } following ? Math.Max(0, (following.RequestedNs - step.ObservedNs) / 1e3) : null;
        var hasPause = next is { } after && PauseUs(step.ObservedNs, after.RequestedNs) > 0;
        var own = SlowestAgent(step.Perspective, step.Step, restUs ?? 0, hasPause);
        double? bridgeUs = isFastest && restUs is { } rest ? Math.Max(0, rest - (own?.Us ?? 0))
            : hasPause ? PauseUs(step.ObservedNs, next!.Value.RequestedNs) : null;
        Add(
            new PostMortemStep(step.GameLoop, step.Perspective, own?.Us, gamePauseUs > 0 ? (bridgeUs ?? 0) + gamePauseUs : bridgeUs, gameUs),
            own?.Who);
    }

    // A bot requests a step and then its observation, so the game's time is the sum of both answers.
    private void AddOfBot(uint player, Dictionary<uint, Sc2Bridge.Games.BotStep> bot, in RecordedStep step, RecordedStep? next)
    {
        var own = bot.TryGetValue(step.GameLoop, out var found) ? found : default;
        double? bridgeUs = next is { } following && bot.TryGetValue(following.GameLoop, out var nextStep)
            ? Math.Max(0, (following.ObservedNs - step.ObservedNs - own.BotNs - nextStep.GameNs) / 1e3)
            : null;
        Add(new PostMortemStep(step.GameLoop, step.Perspective, own.BotNs / 1e3, bridgeUs, own.GameNs / 1e3), $"bot of player {player}");
    }

    private void Add(PostMortemStep step, string? who)
    {
        step = step with { AgentUs = Round(step.AgentUs), BridgeUs = Round(step.BridgeUs), GameUs = Round(step.GameUs) };
        _steps.Add(step);
        Span(who, step.AgentUs);
        Span("bridge", step.BridgeUs);
        Span("game", step.GameUs);

        void Span(string? whose, double? us)
        {
            if (whose is not null && us is { } known)
            {
                _spans.Add(new PostMortemSpan(step.GameLoop, whose, known));
            }
        }
    }

    private (string Who, double Us)? SlowestAgent(uint perspective, ulong step, double restUs, bool hasPause)
    {
        var times = _reports[step].Select(row => (
                row.Agent, Us: row.OwnUs + (!hasPause && row.DeliveredUs is >= LateDeliveryUs and var late && late <= restUs ? late : 0)))
            .Concat(_facts.Troubles.Where(one => one.Kind == AgentTroubleKind.MissedDeadline && one.Perspective == perspective && one.Step == step)
                .Select(one => (one.Agent, Us: one.WaitedFor / 1e3)))

            // The game waited until the failed agent had left.
            .Concat(_facts.Troubles.Where(one => one.Kind == AgentTroubleKind.Left && one.Perspective == perspective && one.Step == step)
                .Select(one => (one.Agent, Us: restUs)));
        return times.Select(one => ((string, double)?)($"agent {one.Agent}", one.Us)).MaxBy(one => one!.Value.Item2);
    }

    private static double? Round(double? us) => us is { } known ? Math.Round(known, 1) : null;

    private double PauseUs(long fromNs, long toNs) =>
        _facts.Pauses.Sum(pause => Math.Max(0, Math.Min(pause.ToNs, toNs) - Math.Max(pause.FromNs, fromNs))) / 1e3;
}
