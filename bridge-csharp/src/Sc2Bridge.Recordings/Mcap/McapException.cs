namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Bytes that are not what they should be, by their place in the file. It does not leave the assembly: who knows the
/// file's name makes a <see cref="RecordingException"/> of it.
/// </summary>
/// <param name="what">What is wrong, to stand behind the file's name.</param>
/// <param name="offset">At which byte of the file.</param>
/// <param name="remedy">What to do; null where the file is damaged, which has one remedy.</param>
/// <param name="innerException">What was thrown, if anything.</param>
internal sealed class McapException(
    string what, long offset, string? remedy = null, Exception? innerException = null)
    : Exception(what, innerException)
{
    /// <summary>At which byte of the file.</summary>
    public long Offset { get; } = offset;

    /// <summary>What to do; null where the file is damaged.</summary>
    public string? Remedy { get; } = remedy;

    /// <summary>Whether the file is damaged, also if so much that nothing can be read.</summary>
    public bool IsDamage => Remedy is null || InnerException is McapException { IsDamage: true };

    /// <summary>Whether the file ends before it should, and is whole up to there.</summary>
    public bool IsCut { get; private init; }

    /// <summary>A file that ends before it should.</summary>
    public static McapException Cut(long at) => new("the file is cut off", at) { IsCut = true };
}
