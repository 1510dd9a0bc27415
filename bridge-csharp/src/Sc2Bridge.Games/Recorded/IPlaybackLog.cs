namespace Sc2Bridge.Games;

/// <summary>Logs the actions of a client whose game is a recording.</summary>
internal interface IPlaybackLog
{
    /// <summary>Reports one line to the user.</summary>
    void Say(string line);

    /// <summary>Logs that a client has joined or restarted the match. The match is at its first recorded loop.</summary>
    /// <param name="perspective">The client's perspective: a player id, or 0 for an observer of all.</param>
    void LogStart(uint perspective);

    /// <summary>Logs the actions of the client and of the recorded player at one game loop, when the game moves on from that loop.</summary>
    /// <param name="gameLoop">The loop.</param>
    /// <param name="client">The orders that the client sent at this loop, in the order of sending.</param>
    /// <param name="recorded">The recorded player's actions from this loop to the next loop that the client observes.</param>
    void LogActions(
        uint gameLoop, IReadOnlyList<SC2APIProtocol.Action> client, IReadOnlyList<SC2APIProtocol.Action> recorded);
}
