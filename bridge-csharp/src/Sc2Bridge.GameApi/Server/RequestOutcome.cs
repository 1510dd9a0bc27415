namespace Sc2Bridge.GameApi;

/// <summary>What came of a request.</summary>
public enum RequestOutcome
{
    /// <summary>It is answered: the response goes to the client.</summary>
    Answered,

    /// <summary>It is answered, and the game has quit with it.</summary>
    Quit,

    /// <summary>The client had gone before it could be answered.</summary>
    Abandoned,

    /// <summary>The game is gone without an answer, as when its process dies.</summary>
    Died,
}
