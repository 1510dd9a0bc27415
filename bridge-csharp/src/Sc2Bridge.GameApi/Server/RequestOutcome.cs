namespace Sc2Bridge.GameApi;

/// <summary>The result of a request.</summary>
public enum RequestOutcome
{
    /// <summary>The request was answered. The response goes to the client.</summary>
    Answered,

    /// <summary>The request was answered, and the game has quit.</summary>
    Quit,

    /// <summary>The client disconnected before the answer.</summary>
    Abandoned,

    /// <summary>The game ended without an answer, for example because its process died.</summary>
    Died,
}
