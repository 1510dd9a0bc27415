using SC2APIProtocol;
using Sc2Bridge.GameApi;

namespace Sc2Bridge.Games;

/// <summary>A place in a match that a ladder manager has created: what it starts a bot with.</summary>
/// <param name="Game">Where the game, or the manager's proxy before it, listens (<c>--LadderServer</c>,
/// <c>--GamePort</c>).</param>
/// <param name="Race">The race to play.</param>
public sealed record LadderSlot(GameAddress Game, Race Race)
{
    /// <summary>
    /// The first of the match's ports (<c>--StartPort</c>); null where the opponent is a computer, which needs none.
    /// </summary>
    public int? StartPort { get; init; }

    /// <summary>Who plays against it (<c>--OpponentId</c>); empty where the manager does not say.</summary>
    public string OpponentId { get; init; } = "";

    /// <summary>The name to play under; empty for none.</summary>
    public string Name { get; init; } = "";

    /// <summary>The join that takes the place.</summary>
    /// <param name="options">What observations hold.</param>
    /// <remarks>
    /// From a start port S come the shared port S+1 (unused), the server's S+2 and S+3 and the client's S+4 and S+5: so
    /// cpp-sc2's <c>Coordinator::SetupPorts</c> counts them, and the <c>run_ladder_game</c> of python-sc2's bots. Both
    /// clients send the same.
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
