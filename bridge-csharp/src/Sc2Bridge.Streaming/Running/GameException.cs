namespace Sc2Bridge.Streaming;

/// <summary>
/// The game, or the way to it, failed. The message is one line that says what happened and what to do.
/// </summary>
public class GameException : Exception
{
    /// <summary>A failure.</summary>
    /// <param name="message">One line: what happened, and what to do.</param>
    /// <param name="inner">What caused it, for a debugger.</param>
    public GameException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }
}
