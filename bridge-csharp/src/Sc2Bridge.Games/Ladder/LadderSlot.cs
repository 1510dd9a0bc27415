using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>
/// A player's slot in a match that a ladder manager has created. The manager starts a bot with arguments that describe the slot.
/// </summary>
/// <param name="Game">The address of the game, or of the manager's proxy in front of the game (<c>--LadderServer</c>,
/// <c>--GamePort</c>).</param>
/// <param name="Race">The race to play.</param>
public sealed record LadderSlot(GameAddress Game, Race Race)
{
    /// <summary>
    /// The first of the match's ports (<c>--StartPort</c>); null if the opponent is a computer, which needs no ports.
    /// </summary>
    public int? StartPort { get; init; }

    /// <summary>The opponent (<c>--OpponentId</c>); empty if the manager does not name it.</summary>
    public string OpponentId { get; init; } = "";

    /// <summary>The player's name; empty if the player has no name.</summary>
    public string Name { get; init; } = "";

    /// <summary>Returns the request that joins the match in this slot.</summary>
    /// <param name="options">The contents of the observations.</param>
    /// <remarks>
    /// A start port S gives the shared port S+1 (unused), the server's ports S+2 and S+3, and the client's ports S+4 and S+5.
    /// cpp-sc2's <c>Coordinator::SetupPorts</c> and the <c>run_ladder_game</c> of python-sc2's bots count in the same way. The
    /// clients of both players send the same ports.
    /// </remarks>
    public RequestJoinGame Join(InterfaceOptions options)
    {
        var join = new RequestJoinGame { Race = Race, Options = options };
        if (Name.Length > 0)
        {
            join.PlayerName = Name;
        }

        if (StartPort is { } start)
        {
            join.SharedPort = start + 1;
            join.ServerPorts = new PortSet { GamePort = start + 2, BasePort = start + 3 };
            join.ClientPorts.Add(new PortSet { GamePort = start + 4, BasePort = start + 5 });
        }

        return join;
    }
}
