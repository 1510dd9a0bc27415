namespace Sc2Bridge.Recordings;

/// <summary>
/// A recording, or a part of it, cannot be read, or a file cannot be written. The message is one line with the file, the position and the remedy.
/// </summary>
/// <param name="message">The line.</param>
/// <param name="innerException">The cause, if another exception was thrown.</param>
public sealed class RecordingException(string message, Exception? innerException = null)
    : Exception(message, innerException)
{
    /// <summary>Whether a recording is damaged. If not, the file is not a recording or cannot be opened.</summary>
    public bool IsDamage => InnerException is Mcap.McapException { IsDamage: true };
}
