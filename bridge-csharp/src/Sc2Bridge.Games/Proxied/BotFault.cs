namespace Sc2Bridge.Games;

/// <summary>How a bot failed.</summary>
public enum BotFaultKind
{
    /// <summary>The connection was closed or broke before the bot had left the game.</summary>
    Disconnected,

    /// <summary>The bot sent no request, or read no answer, for too long.</summary>
    Hung,

    /// <summary>The bot sent something that is not a request.</summary>
    InvalidRequest,
}

/// <summary>A bot's failure that ended its match.</summary>
/// <param name="Kind">How the bot failed.</param>
/// <param name="Text">The failure as a sentence.</param>
/// <param name="GameLoop">The game loop of the newest observation that the bot had requested.</param>
public sealed record BotFault(BotFaultKind Kind, string Text, uint GameLoop);
