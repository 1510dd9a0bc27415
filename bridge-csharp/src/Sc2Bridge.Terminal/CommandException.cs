namespace Sc2Bridge.Terminal;

/// <summary>Ends the program with one line that says what is wrong and what to do.</summary>
public class CommandException : Exception
{
    /// <summary>Made where a command cannot go on.</summary>
    /// <param name="message">One line.</param>
    /// <param name="innerException">What was thrown, if anything.</param>
    public CommandException(string message, Exception? innerException = null)
        : base(message, innerException)
    {
    }
}
