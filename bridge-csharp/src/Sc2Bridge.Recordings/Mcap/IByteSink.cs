namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Receives the bytes of a file in order.</summary>
public interface IByteSink
{
    /// <summary>Appends bytes to the file.</summary>
    /// <param name="bytes">The bytes. They are used during the call only.</param>
    void Append(ReadOnlySpan<byte> bytes);
}
