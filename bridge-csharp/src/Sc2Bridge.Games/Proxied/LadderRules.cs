using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>What a ladder holds a bot to, beside the game's own rules.</summary>
/// <remarks>
/// As ladders do: they drop <c>disable_fog</c> and debug requests, allow 40 ms a game loop on average, and end a match
/// after an hour of the game's time. Here a request that is not allowed is answered with an error that says why.
/// </remarks>
public sealed record LadderRules
{
    // Ten seconds of the game: an average over less would punish a slow first step.
    private const uint JudgedFrom = 224;

    /// <summary>
    /// How long the bot may think for each game loop, on average, in milliseconds; stepped matches only.
    /// </summary>
    public double LoopMs { get; init; } = 40;

    /// <summary>The game loop at which a match is a tie: an hour at 22.4 loops a second.</summary>
    public uint LastLoop { get; init; } = 80_640;

    /// <summary>Why a request is not allowed at all; null where it is.</summary>
    /// <param name="request">What the bot asks.</param>
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

    /// <summary>Why the match is over for the bot before it steps on; null where it goes on.</summary>
    /// <param name="loops">Game loops played so far.</param>
    /// <param name="thought">How long the bot has thought in them.</param>
    /// <param name="who">The bot, as a sentence's subject.</param>
    internal LadderVerdict? Judge(uint loops, TimeSpan thought, string who = "the bot")
    {
        if (loops >= LastLoop)
        {
            return new LadderVerdict(V1.EndReason.StepLimit, $"Ladder rules: a match ends at game loop {LastLoop}", Result.Tie);
        }

        var mean = loops == 0 ? 0 : thought.TotalMilliseconds / loops;
        return loops >= JudgedFrom && mean > LoopMs
            ? new LadderVerdict(
                V1.EndReason.Forfeit,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Ladder rules: {who} took {mean:0.0} ms a game loop on average, and {LoopMs:0.#} are allowed"),
                Result.Defeat)
            : null;
    }
}

/// <summary>What the rules of a ladder make of a bot.</summary>
/// <param name="Reason">For programs.</param>
/// <param name="Why">One line.</param>
/// <param name="Result">The bot's: Tie, or Defeat.</param>
internal sealed record LadderVerdict(V1.EndReason Reason, string Why, Result Result);
