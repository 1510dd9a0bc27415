using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Acting;

namespace Sc2Bridge.Games;

/// <summary>Reports a bot's actions: each request with actions, once the bot has the game's answer.</summary>
internal sealed class BotActionLog
{
    /// <inheritdoc cref="IGameSource.Acted"/>
    public event Action<ActionReport>? Acted;

    /// <summary>The bot has the game's answer.</summary>
    /// <param name="bot">Who it is.</param>
    /// <param name="step">The newest one that the game had answered before.</param>
    /// <param name="request">The bot's.</param>
    /// <param name="answer">The game's; its buffer stays the caller's.</param>
    public void Answered(JoinedBot bot, ulong step, BotRequest request, in RawResponse answer)
    {
        var passed = Passed(bot, step, request);
        ActionReport report;
        try
        {
            report = passed.Answered(answer.Parse());
        }
        catch (GameException malformed)
        {
            report = passed.Failed(malformed.Message);
        }

        Acted?.Invoke(report);
    }

    /// <summary>The game does not answer.</summary>
    /// <param name="bot">Who it is.</param>
    /// <param name="step">The newest one that the game has answered.</param>
    /// <param name="request">The bot's.</param>
    /// <param name="why">One line.</param>
    public void Unanswered(JoinedBot bot, ulong step, BotRequest request, string why) =>
        Acted?.Invoke(Passed(bot, step, request).Failed(why));

    private static ProxiedActions Passed(JoinedBot bot, ulong step, BotRequest request) =>
        new(bot.Name, bot.Perspective, step, request.Asked.Action, request.ReceivedNs);
}
