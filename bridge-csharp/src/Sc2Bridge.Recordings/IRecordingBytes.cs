namespace Sc2Bridge.Recordings;

/// <summary>The bytes of a file, with random access.</summary>
internal interface IRecordingBytes : IDisposable
{
    /// <summary>The file's name, for errors.</summary>
    string Name { get; }

    /// <summary>The file's size when it was opened. Bytes that are appended later are ignored.</summary>
    long Length { get; }

    /// <summary>Fills the target with the file's bytes from an offset on.</summary>
    /// <exception cref="IOException">The bytes cannot be read, or the file has become shorter.</exception>
    void Read(long offset, Span<byte> target);
}
