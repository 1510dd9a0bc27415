using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sc2Bridge.Encodings.Json.Writing;

/// <summary>A constant piece of text in UTF-8, with room behind it so that it can be copied in whole blocks.</summary>
internal readonly struct TextPiece
{
    /// <summary>The longest there may be: what is written without asking for room relies on it.</summary>
    public const int Longest = 192;

    private const int Block = 32;
    private readonly byte[] _padded;
    private readonly int _length;

    /// <exception cref="NotSupportedException">It is too long.</exception>
    public TextPiece(string text)
    {
        var bytes = System.Text.Encoding.UTF8.GetBytes(text);
        if (bytes.Length > Longest)
        {
            throw new NotSupportedException($"'{text}' is longer than the {Longest} bytes that are foreseen");
        }

        _length = bytes.Length;
        _padded = new byte[(bytes.Length + Block - 1) / Block * Block];
        bytes.CopyTo(_padded, 0);
    }

    /// <summary>False for the default: no text at all.</summary>
    public bool Exists => _padded is not null;

    /// <summary>Copies it; up to a block more is overwritten.</summary>
    /// <returns>Where it ends.</returns>
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
