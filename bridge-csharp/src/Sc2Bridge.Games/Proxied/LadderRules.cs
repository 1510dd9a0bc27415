using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>A ladder's rules for a bot, in addition to the game's own rules.</summary>
/// <remarks>
/// Ladders drop <c>disable_fog</c> and debug requests, allow 40 ms for each game loop on average, and end a match after an hour
/// of the game's time. The bridge answers a request that is not allowed with an error that has the reason.
/// </remarks>
public sealed record LadderRules
{
    // The bot's average time is checked only from this game loop on (ten seconds). Otherwise a slow first step would end the match.
    private const uint FirstJudgedLoop = 224;

    /// <summary>
    /// How long the bot may think for each game loop on average, in milliseconds. This limit is only for stepped matches.
    /// </summary>
    public double LoopMs { get; init; } = 40;

    /// <summary>The game loop at which a match ends as a tie: an hour at 22.4 loops a second.</summary>
    public uint LastLoop { get; init; } = 80_640;

    /// <summary>Returns why a request is not allowed; null if it is allowed.</summary>
    /// <param name="request">The bot's request.</param>
    public static string? Refusal(Request request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request switch
        {
            { CreateGame.DisableFog: true } or { Observation.DisableFog: true } =>
                "Ladder rules: disable_fog is not allowed",
            { Debug: { } debug } when !debug.Debug.All(command => command.Draw is not null) =>
                "Ladder rules: debug commands other than draw are not allowed",
            _ => null,
        };
    }

    /// <summary>Returns why the match ends before the bot's next step; null if the match goes on.</summary>
    /// <param name="loops">The number of game loops played so far.</param>
    /// <param name="thinkingTime">The bot's thinking time in these loops.</param>
    /// <param name="who">The bot, as the subject of a sentence.</param>
    internal LadderVerdict? Judge(uint loops, TimeSpan thinkingTime, string who = "the bot")
    {
        if (loops >= LastLoop)
        {
            return new LadderVerdict(V1.EndReason.StepLimit, $"Ladder rules: a match ends at game loop {LastLoop}", Result.Tie);
        }

        var mean = loops == 0 ? 0 : thinkingTime.TotalMilliseconds / loops;
        return loops >= FirstJudgedLoop && mean > LoopMs
            ? new LadderVerdict(
                V1.EndReason.Forfeit,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Ladder rules: {who} took {mean:0.0} ms a game loop on average, and {LoopMs:0.#} are allowed"),
                Result.Defeat)
            : null;
    }
}

/// <summary>A ladder's decision that ends a match.</summary>
/// <param name="Reason">The reason for programs.</param>
/// <param name="Why">The reason as one line.</param>
/// <param name="Result">The bot's result: Tie or Defeat.</param>
internal sealed record LadderVerdict(V1.EndReason Reason, string Why, Result Result);
