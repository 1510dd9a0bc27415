using Sc2Bridge.Admission;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>How a bot is let in, and what it is held to.</summary>
public sealed record ProxyOptions : GameApiOptions
{
    /// <summary>
    /// How long the bot may take to connect and join, and how long it may then ask for nothing, or read nothing, before
    /// the match ends without it.
    /// </summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromMinutes(3);

    /// <summary>How long a bot may stay, to save the replay and leave, once the match has ended.</summary>
    public TimeSpan LeavePatience { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Counts and limits clients, with others of the process; null: by itself.</summary>
    public ConnectionAdmission? Admission { get; init; }

    /// <summary>The rules of a ladder; null for none.</summary>
    public LadderRules? Ladder { get; init; }

    /// <summary>Gets lines for people: where the bot connects, that it came, what it is.</summary>
    public Action<string> Say { get; init; } = static _ => { };

    /// <summary>Gets the address that the bot connects to.</summary>
    public Action<GameAddress> Listens { get; init; } = static _ => { };
}
