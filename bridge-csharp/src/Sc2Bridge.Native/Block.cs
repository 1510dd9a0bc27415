using System.Runtime.InteropServices;

namespace Sc2Bridge.Native;

/// <summary>Bytes that the caller reads. They do not move until the next <see cref="Set"/>.</summary>
internal sealed unsafe class Block : IDisposable
{
    private nuint _capacity;

    public byte* Data { get; private set; }

    public long Length { get; private set; }

    /// <summary>Replaces the bytes.</summary>
    public void Set(ReadOnlySpan<byte> bytes)
    {
        if (_capacity < (nuint)bytes.Length)
        {
            var capacity = (nuint)bytes.Length * 2;
            Data = (byte*)NativeMemory.Realloc(Data, capacity);
            _capacity = capacity;
        }

        bytes.CopyTo(new Span<byte>(Data, bytes.Length));
        Length = bytes.Length;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(Data);
        Data = null;
        (_capacity, Length) = (0, 0);
    }
}
