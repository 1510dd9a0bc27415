namespace Sc2Bridge.Streaming;

/// <summary>What failed in a game.</summary>
public enum GameFault
{
    /// <summary>The game refused a request, sent invalid data, or failed in another way that the message describes.</summary>
    Other,

    /// <summary>The game's connection broke or was closed.</summary>
    Disconnected,

    /// <summary>The game did not answer in time.</summary>
    Hung,

    /// <summary>The bridge itself failed.</summary>
    BridgeFailed,
}
