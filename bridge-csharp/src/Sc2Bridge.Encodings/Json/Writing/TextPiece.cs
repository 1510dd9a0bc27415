using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>A constant text in UTF-8, padded so that it can be copied in pieces of 32 bytes.</summary>
internal readonly struct TextPiece
{
    /// <summary>The maximum length in bytes. <see cref="TextOutput.Slack"/> includes this length.</summary>
    public const int Longest = 192;

    private const int Block = 32;
    private readonly byte[] _padded;
    private readonly int _length;

    /// <exception cref="NotSupportedException">The text is too long.</exception>
    public TextPiece(string text)
    {
        var bytes = System.Text.Encoding.UTF8.GetBytes(text);
        if (bytes.Length > Longest)
        {
            throw new NotSupportedException($"'{text}' is longer than {Longest} bytes: increase TextPiece.Longest");
        }

        _length = bytes.Length;
        _padded = new byte[(bytes.Length + Block - 1) / Block * Block];
        bytes.CopyTo(_padded, 0);
    }

    /// <summary>False for an instance without a text (the default value).</summary>
    public bool Exists => _padded is not null;

    /// <summary>Copies the text. May overwrite up to 32 bytes after the text.</summary>
    /// <returns>The end of the text.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int CopyTo(ref byte target, int at)
    {
        ref var from = ref MemoryMarshal.GetArrayDataReference(_padded);
        ref var to = ref Unsafe.Add(ref target, at);
        Unsafe.CopyBlockUnaligned(ref to, ref from, Block);
        if (_length > Block)
        {
            CopyRest(ref to, ref from);
        }

        return at + _length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void CopyRest(ref byte to, ref byte from)
    {
        for (var offset = Block; offset < _length; offset += Block)
        {
            Unsafe.CopyBlockUnaligned(ref Unsafe.Add(ref to, offset), ref Unsafe.Add(ref from, offset), Block);
        }
    }
}
