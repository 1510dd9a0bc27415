namespace Sc2Bridge.Streaming;

/// <summary>The game, or the connection to it, failed. The message is one line: what happened, and what to do.</summary>
public class GameException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">One line: what happened, and what to do.</param>
    /// <param name="inner">The cause, for debugging.</param>
    public GameException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>What failed; <see cref="GameFault.Other"/> if it is only known in words.</summary>
    public GameFault Fault { get; init; }

    /// <summary>The exit code of the game's process (128 plus the signal's number, if a signal ended it); null if it is unknown or the process still runs.</summary>
    public int? ExitCode { get; init; }

    /// <summary>The player whose game failed; null if the match has only one game.</summary>
    public uint? Player { get; init; }

    /// <summary>Whether a service, such as a broker, does not answer. The user's settings may be correct in this case.</summary>
    public bool IsUnreachable { get; init; }
}
