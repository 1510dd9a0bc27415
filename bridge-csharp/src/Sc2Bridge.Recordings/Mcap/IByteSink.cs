namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Takes a file's bytes, one stretch after the other.</summary>
public interface IByteSink
{
    /// <summary>Adds bytes to the file's end.</summary>
    /// <param name="bytes">The caller's, to be used during the call only.</param>
    void Append(ReadOnlySpan<byte> bytes);
}
