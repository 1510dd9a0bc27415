namespace Sc2Bridge.Games;

/// <summary>
/// A struct in the versioned format of StarCraft II's replays. The fields of a struct may change with the game's version, so a byte
/// in front of each value gives the value's kind, and a number in front of each field identifies the field (s2protocol,
/// <c>decoders.py</c>, VersionedDecoder). Values that are not needed are skipped.
/// </summary>
internal sealed class VersionedFields
{
    // The largest accepted depth of nested values, for damaged files. The structs of a replay's header nest three levels deep.
    private const int Deepest = 16;

    private readonly Dictionary<long, object?> _values = [];

    private VersionedFields()
    {
    }

    /// <summary>Reads one struct and ignores the bytes after it.</summary>
    /// <param name="bytes">The bytes. They may be damaged or hostile.</param>
    /// <exception cref="FormatException">The bytes are not a struct, or end within it.</exception>
    public static VersionedFields Read(ReadOnlySpan<byte> bytes)
    {
        var reader = new Reader(bytes);
        return reader.ReadValue(0) as VersionedFields ?? throw new FormatException("it is not a struct");
    }

    /// <summary>The value of a field that is a struct; null if the field is missing.</summary>
    public VersionedFields? Struct(int field) => _values.GetValueOrDefault(field) as VersionedFields;

    /// <summary>The value of a field that is a number; null if the field is missing.</summary>
    public long? Number(int field) => _values.GetValueOrDefault(field) as long?;

    /// <summary>The value of a field that consists of bytes; null if the field is missing.</summary>
    public byte[]? Blob(int field) => _values.GetValueOrDefault(field) as byte[];

    private ref struct Reader(ReadOnlySpan<byte> rest)
    {
        private ReadOnlySpan<byte> _rest = rest;

        public object? ReadValue(int depth)
        {
            if (depth > Deepest)
            {
                throw new FormatException("it nests too deep");
            }

            switch (ReadBytes(1)[0])
            {
                case 0: // an array
                    for (var remaining = ReadNumber(); remaining > 0; remaining--)
                    {
                        ReadValue(depth + 1);
                    }

                    return null;
                case 1: // bits
                    ReadBytes((ReadNumber() + 7) / 8);
                    return null;
                case 2: // bytes
                    return ReadBytes(ReadNumber()).ToArray();
                case 3: // a choice: its number, and its value
                    ReadNumber();
                    return ReadValue(depth + 1);
                case 4: // an optional value
                    return ReadBytes(1)[0] == 0 ? null : ReadValue(depth + 1);
                case 5: // a struct
                    var fields = new VersionedFields();
                    for (var remaining = ReadNumber(); remaining > 0; remaining--)
                    {
                        var field = ReadNumber();
                        fields._values[field] = ReadValue(depth + 1);
                    }

                    return fields;
                case 6:
                    return (long)ReadBytes(1)[0];
                case 7:
                    ReadBytes(4);
                    return null;
                case 8:
                    ReadBytes(8);
                    return null;
                case 9:
                    return ReadNumber();
                default:
                    throw new FormatException("a value has an unknown kind");
            }
        }

        // The highest bit of a byte is set if another byte follows. The lowest bit of the first byte is the sign. All other bits are
        // the number, the lowest bits first: six bits in the first byte, and seven in each later byte.
        private long ReadNumber()
        {
            const int LongestBits = 62;
            var first = ReadBytes(1)[0];
            var value = (long)(first >> 1) & 0x3f;
            var more = (first & 0x80) != 0;
            for (var bits = 6; more; bits += 7)
            {
                if (bits > LongestBits - 7)
                {
                    throw new FormatException("a number is too long");
                }

                var next = ReadBytes(1)[0];
                value |= (long)(next & 0x7f) << bits;
                more = (next & 0x80) != 0;
            }

            return (first & 1) != 0 ? -value : value;
        }

        private ReadOnlySpan<byte> ReadBytes(long count)
        {
            if (count < 0 || count > _rest.Length)
            {
                throw new FormatException("it ends too early");
            }

            var taken = _rest[..(int)count];
            _rest = _rest[(int)count..];
            return taken;
        }
    }
}
