namespace Sc2Bridge.Games;

/// <summary>Logs what a client does to a recording that is played to it.</summary>
internal interface IPlaybackLog
{
    /// <summary>Something to be told to people, as one line.</summary>
    void Say(string line);

    /// <summary>A client has joined, or begins again: the game is at its first loop.</summary>
    /// <param name="perspective">Whose eyes it has: a player id, 0 for an observer of all.</param>
    void Began(uint perspective);

    /// <summary>The game goes on from a loop at which somebody acted.</summary>
    /// <param name="gameLoop">The loop.</param>
    /// <param name="client">What the client ordered there, in its order.</param>
    /// <param name="recorded">What the recorded player did from there to the next loop that the client sees.</param>
    void Acted(
        uint gameLoop, IReadOnlyList<SC2APIProtocol.Action> client, IReadOnlyList<SC2APIProtocol.Action> recorded);
}
