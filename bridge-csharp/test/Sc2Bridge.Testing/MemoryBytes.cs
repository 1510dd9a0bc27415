using Sc2Bridge.Recordings;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Testing;

/// <summary>A file in memory.</summary>
public sealed class MemoryBytes(byte[] bytes, string name = "match.mcap") : IRecordingBytes
{
    public string Name => name;

    public long Length => bytes.Length;

    public void Read(long offset, Span<byte> target) => bytes.AsSpan((int)offset, target.Length).CopyTo(target);

    public void Dispose()
    {
    }
}

/// <summary>A file in memory for writing.</summary>
public sealed class MemorySink : IByteSink
{
    private readonly List<byte> _bytes = [];

    public byte[] Bytes => [.. _bytes];

    public void Append(ReadOnlySpan<byte> bytes) => _bytes.AddRange(bytes);
}
