using System.Globalization;
using Sc2Bridge.Games;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Cli;

/// <summary>Finds why a match ended. The first problem is the cause, and the other problems are findings.</summary>
/// <param name="facts">What the session knows.</param>
/// <param name="loopOf">The game loop of a perspective's step; null if unknown.</param>
internal sealed class CauseFinder(EndFacts facts, Func<uint, ulong, uint?> loopOf)
{
    private const string SeeLogs = "See the last lines of each program below";

    private uint? LastLoop => facts.End?.GameLoop ?? facts.GameLoop;

    /// <summary>Whether a problem is an abnormal end.</summary>
    internal static bool IsAbnormal(PostMortemCause cause) => cause.Kind is not ("slow_step" or "lost" or "none");

    /// <summary>All problems of the match, the cause first. Never empty.</summary>
    /// <param name="slowest">The slowest spans.</param>
    internal IReadOnlyList<PostMortemCause> Find(IReadOnlyList<PostMortemSpan> slowest)
    {
        var agents = new AgentCauses(facts, loopOf, LastLoop);
        List<PostMortemCause> found =
        [
            .. BridgeProblems(),
            .. GameProblems(),
            .. facts.Bots.Where(bot => bot.Fault is { } fault && !(facts.WasStopped && fault.Kind == BotFaultKind.Disconnected)).Select(bot => Describe(bot.Player, bot.Fault!)),
            .. agents.Find(),
        ];
        if (found.Count == 0 && facts.Error is AgentStartException start)
        {
            found.Add(new("agent_did_not_start", $"agent {start.Agent}", start.Message, "See its last lines", null));
        }

        if (found.Count == 0 && (facts.End is { Aborted: true } || facts.Error is not null))
        {
            found.Add(new("unknown", "", facts.End?.Words() ?? facts.Error!.Message, $"The cause is not known. {SeeLogs}", LastLoop));
        }

        found.AddRange(agents.FindLateAnswers());
        foreach (var span in slowest.Where(span => span.Us >= StepSpans.SlowUs
            && !found.Exists(other => other.Who == span.Who && other.GameLoop == span.GameLoop)))
        {
            found.Add(new(
                "slow_step", span.Who, string.Create(CultureInfo.InvariantCulture, $"{span.Who} needed {span.Us / 1e6:0.0} s for a step"),
                "Find out what this program did at that time", span.GameLoop));
        }

        if (found.Count == 0)
        {
            var lost = facts.End?.Results.FirstOrDefault(result => result.Result == SC2APIProtocol.Result.Defeat
                && facts.Description?.Players.FirstOrDefault(player => player.PlayerId == result.PlayerId) is { Kind: PlayerKind.Agent or PlayerKind.Api });
            found.Add(lost is null
                ? new("none", "", $"The match ended normally: {facts.End?.Words()}", "", LastLoop)
                : new("lost", $"player {lost.PlayerId}", $"Player {lost.PlayerId} lost the match", "Watch the last seconds, or the whole match in match.mcap", LastLoop));
        }

        return found;
    }

    private IEnumerable<PostMortemCause> BridgeProblems()
    {
        if (facts.BridgeCrash is { } crash)
        {
            yield return OfBridge(
                ExitWords.MeansOutOfMemory(null, crash, hasSystemRunOut: false) ? "bridge_out_of_memory" : "bridge_error",
                $"The bridge failed: {(crash is [var first, ..] ? first : "no text")}");
        }
        else if (facts.IsBridgeKilled)
        {
            yield return OfBridge(
                "bridge_killed",
                "The bridge's process ended before the match: it was killed, or the machine stopped",
                "Find out who ended the process: a user, the system because of missing memory, or a restart");
        }
        else if (facts.Error is not null and not GameException and not CommandException)
        {
            yield return OfBridge(
                facts.Error is OutOfMemoryException ? "bridge_out_of_memory" : "bridge_error", $"The bridge failed: {facts.Error.GetType().Name}: {facts.Error.Message}");
        }

        foreach (var trouble in facts.Troubles.Where(one => one.Kind == AgentTroubleKind.BridgeFailed))
        {
            yield return OfBridge("bridge_error", $"The bridge failed while it served agent {trouble.Agent}: {trouble.Detail}") with
            {
                GameLoop = trouble.Step is { } step ? loopOf(trouble.Perspective, step) : LastLoop,
            };
        }
    }

    private PostMortemCause OfBridge(string kind, string text, string advice = "This is a defect: report it, with these files") =>
        new(kind, "bridge", text, advice, LastLoop);

    private IEnumerable<PostMortemCause> GameProblems()
    {
        if (facts.GameFailure is not { } failure)
        {
            yield break;
        }

        if (failure is { Fault: GameFault.Other, ExitCode: null } && facts.Bots.Any(bot => bot.Fault is not null))
        {
            // A bot that failed before the match began ended the match in the same way as a game.
            yield break;
        }

        var who = failure.Player is { } player ? $"game of player {player}" : "game";
        if (failure.Fault == GameFault.BridgeFailed)
        {
            yield return OfBridge("bridge_error", failure.Message);
        }
        else if (ExitWords.MeansOutOfMemory(failure.ExitCode, failure.ExitCode is null ? [] : [failure.Message], facts.HasSystemRunOutOfMemory))
        {
            yield return new("game_out_of_memory", who, failure.Message, "Give the game more memory, or play fewer matches at once", LastLoop);
        }
        else
        {
            var kind = failure switch
            {
                // After a lost connection, a game can end normally.
                { ExitCode: 0, Fault: GameFault.Disconnected } => "game_disconnected",
                { ExitCode: { } code } => ExitWords.WasKilled(code) ? "game_killed" : "game_ended",
                { Fault: GameFault.Hung } => "game_hung",
                { Fault: GameFault.Disconnected } => "game_disconnected",
                _ => "game_error",
            };
            var text = failure.ExitCode is { } ended && kind is not "game_disconnected" ? $"The {who} {ExitWords.Describe(ended)}: {failure.Message}" : failure.Message;
            yield return new(
                kind, who, text, kind == "game_hung" ? "If the machine is slow, allow more time: --start-deadline for the start, --game-deadline for answers" : "Start the match again", LastLoop);
        }
    }

    private static PostMortemCause Describe(uint player, BotFault fault) => new(
        fault.Kind switch
        {
            BotFaultKind.Hung => "bot_hung",
            BotFaultKind.InvalidRequest => "bot_error",
            _ => "bot_disconnected",
        },
        $"bot of player {player}",
        fault.Text,
        fault.Kind == BotFaultKind.Hung ? "Allow more time with --api-deadline if the bot is slow"
            : "The bot's own output has the reason: its process may have failed",
        fault.GameLoop);
}
