namespace Sc2Bridge.Protocol;

/// <summary>
/// Bytes that are not the message they should be. <see cref="Exception.Message"/> says what is wrong and at which
/// offset.
/// </summary>
/// <param name="what">What is wrong, without the offset.</param>
/// <param name="offset">Where, in bytes from the start of what was read.</param>
public sealed class MalformedMessageException(string what, int offset)
    : Exception($"Malformed message: {what} at byte {offset}.")
{
    /// <summary>What is wrong, without the offset.</summary>
    public string What { get; } = what;

    /// <summary>Where, in bytes from the start of what was read.</summary>
    public int Offset { get; } = offset;
}
