namespace Sc2Bridge.Protocol;

/// <summary>
/// Bytes that are not a valid message. <see cref="Exception.Message"/> names the problem and its offset.
/// </summary>
/// <param name="problem">The problem, without the offset.</param>
/// <param name="offset">The problem's offset in bytes, from the start of the bytes that were read.</param>
public sealed class MalformedMessageException(string problem, int offset)
    : Exception($"Malformed message: {problem} at byte {offset}.")
{
    /// <summary>The problem, without the offset.</summary>
    public string Problem { get; } = problem;

    /// <summary>The problem's offset in bytes, from the start of the bytes that were read.</summary>
    public int Offset { get; } = offset;
}
