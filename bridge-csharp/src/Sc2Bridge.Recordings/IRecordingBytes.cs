namespace Sc2Bridge.Recordings;

/// <summary>The bytes of a file that is read at any place.</summary>
internal interface IRecordingBytes : IDisposable
{
    /// <summary>The file, as errors call it.</summary>
    string Name { get; }

    /// <summary>How many there were when it was opened; a file that is still written grows unseen.</summary>
    long Length { get; }

    /// <summary>Reads as many as there is room for.</summary>
    /// <exception cref="IOException">They cannot be read, or are not there any more.</exception>
    void Read(long offset, Span<byte> target);
}
