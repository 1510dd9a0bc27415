namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Damage or another problem at a position of a file. This exception does not leave the assembly: code that knows the
/// file's name converts it to a <see cref="RecordingException"/>.
/// </summary>
/// <param name="what">The problem. In the message for the user, it follows the file's name.</param>
/// <param name="offset">The position of the problem in the file.</param>
/// <param name="remedy">The remedy; null for damage, which always has the same remedy.</param>
/// <param name="innerException">The cause, if another exception was thrown.</param>
internal sealed class McapException(
    string what, long offset, string? remedy = null, Exception? innerException = null)
    : Exception(what, innerException)
{
    /// <summary>The position of the problem in the file.</summary>
    public long Offset { get; } = offset;

    /// <summary>The remedy; null for damage.</summary>
    public string? Remedy { get; } = remedy;

    /// <summary>Whether the file is damaged, including damage so severe that nothing can be read.</summary>
    public bool IsDamage => Remedy is null || InnerException is McapException { IsDamage: true };

    /// <summary>Whether the file ends too early, but is undamaged up to its end.</summary>
    public bool IsCut { get; private init; }

    /// <summary>The error for a file that ends too early.</summary>
    public static McapException Cut(long at) => new("the file is cut off", at) { IsCut = true };
}
