namespace Sc2Bridge.Games;

/// <summary>
/// A struct in the form that StarCraft II keeps in its replays where fields may come and go with versions: each value
/// behind a byte that says its kind, each field behind its number (s2protocol, <c>decoders.py</c>, VersionedDecoder).
/// Values that nobody asks for are passed over.
/// </summary>
internal sealed class VersionedFields
{
    // Those of a replay's header nest three deep.
    private const int Deepest = 16;

    private readonly Dictionary<long, object?> _values = [];

    private VersionedFields()
    {
    }

    /// <summary>Reads one struct; what follows it is ignored.</summary>
    /// <param name="bytes">Not trusted.</param>
    /// <exception cref="FormatException">They are no struct, or end within it.</exception>
    public static VersionedFields Read(ReadOnlySpan<byte> bytes)
    {
        var reader = new Reader(bytes);
        return reader.Value(0) as VersionedFields ?? throw new FormatException("it is no struct");
    }

    /// <summary>A field that is a struct; null where it is not there.</summary>
    public VersionedFields? Struct(int field) => _values.GetValueOrDefault(field) as VersionedFields;

    /// <summary>A field that is a number; null where it is not there.</summary>
    public long? Number(int field) => _values.GetValueOrDefault(field) as long?;

    /// <summary>A field that is bytes; null where it is not there.</summary>
    public byte[]? Blob(int field) => _values.GetValueOrDefault(field) as byte[];

    private ref struct Reader(ReadOnlySpan<byte> rest)
    {
        private ReadOnlySpan<byte> _rest = rest;

        public object? Value(int depth)
        {
            if (depth > Deepest)
            {
                throw new FormatException("it nests too deep");
            }

            switch (Take(1)[0])
            {
                case 0: // an array
                    for (var left = Number(); left > 0; left--)
                    {
                        Value(depth + 1);
                    }

                    return null;
                case 1: // bits
                    Take((Number() + 7) / 8);
                    return null;
                case 2: // bytes
                    return Take(Number()).ToArray();
                case 3: // a choice: which, and its value
                    Number();
                    return Value(depth + 1);
                case 4: // an optional value
                    return Take(1)[0] == 0 ? null : Value(depth + 1);
                case 5:
                    var fields = new VersionedFields();
                    for (var left = Number(); left > 0; left--)
                    {
                        var field = Number();
                        fields._values[field] = Value(depth + 1);
                    }

                    return fields;
                case 6:
                    return (long)Take(1)[0];
                case 7:
                    Take(4);
                    return null;
                case 8:
                    Take(8);
                    return null;
                case 9:
                    return Number();
                default:
                    throw new FormatException("there is no such kind of value");
            }
        }

        // Seven bits a byte, the lowest first, the highest bit set where another byte follows; the very first bit is
        // the sign.
        private long Number()
        {
            const int LongestBits = 62;
            var first = Take(1)[0];
            var value = (long)(first >> 1) & 0x3f;
            var more = (first & 0x80) != 0;
            for (var bits = 6; more; bits += 7)
            {
                if (bits > LongestBits - 7)
                {
                    throw new FormatException("a number is too long");
                }

                var next = Take(1)[0];
                value |= (long)(next & 0x7f) << bits;
                more = (next & 0x80) != 0;
            }

            return (first & 1) != 0 ? -value : value;
        }

        private ReadOnlySpan<byte> Take(long count)
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
