using Sc2Bridge.Admission;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>How a bot connects, and the rules and limits for the bot.</summary>
public sealed record ProxyOptions : GameApiOptions
{
    /// <summary>
    /// How long the bot may take to connect and join. After the join, the match ends if the bot sends no request, or reads nothing, for
    /// this time.
    /// </summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromMinutes(3);

    /// <summary>How long a bot may stay after the match's end, to save the replay and leave.</summary>
    public TimeSpan LeavePatience { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>The client limits that several servers of this process share; null if this server has limits of its own.</summary>
    public ConnectionAdmission? Admission { get; init; }

    /// <summary>The rules of a ladder; null for none.</summary>
    public LadderRules? Ladder { get; init; }

    /// <summary>Receives lines for the user about the bot's address and its connection.</summary>
    public Action<string> Say { get; init; } = static _ => { };

    /// <summary>Called when the bridge listens for the bot, with the address that the bot must connect to.</summary>
    public Action<GameAddress> OnListening { get; init; } = static _ => { };
}
