namespace Sc2Bridge.Recordings;

/// <summary>
/// A recording that cannot be read, or not any further. The message is one line: the file, where it goes wrong, and
/// what to do.
/// </summary>
/// <param name="message">That line.</param>
/// <param name="innerException">What was thrown, if anything.</param>
public sealed class RecordingException(string message, Exception? innerException = null)
    : Exception(message, innerException)
{
    /// <summary>Whether a recording is damaged. If not, the file is not a recording or cannot be opened.</summary>
    public bool IsDamage => InnerException is Mcap.McapException { IsDamage: true };
}
