namespace Sc2Bridge.Terminal;

/// <summary>Ends the program with a message of one line: the problem and the remedy.</summary>
public class CommandException : Exception
{
    /// <summary>Makes the exception.</summary>
    /// <param name="message">The problem and the remedy, as one line.</param>
    /// <param name="innerException">The cause, or null.</param>
    public CommandException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
