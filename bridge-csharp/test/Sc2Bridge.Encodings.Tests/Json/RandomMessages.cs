using System.Collections;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>Random messages of any type. The same seed gives the same messages.</summary>
internal sealed class RandomMessages(int seed)
{
    private const int Deepest = 6;
    private static readonly string[] Letters =
    ["a", "Z", "0", " ", "\"", "\\", "/", "<", "\u0000", "\n", "\u001f", "\u007f", "é", "\u2028", "𝄞", "\ufeff"];

    private readonly Random _random = new(seed);

    /// <summary>A message with about half of its fields set, and lists of up to four items.</summary>
    public IMessage Make(MessageDescriptor type) => Make(type, 0);

    private IMessage Make(MessageDescriptor type, int depth)
    {
        var message = type.Parser.ParseFrom([]);
        var filled = _random.Next(1, 4);
        foreach (var field in type.Fields.InDeclarationOrder())
        {
            if (_random.Next(4) >= filled || (field.FieldType == FieldType.Message && depth == Deepest))
            {
                continue;
            }

            if (!field.IsRepeated)
            {
                field.Accessor.SetValue(message, Value(field, depth));
                continue;
            }

            var items = (IList)field.Accessor.GetValue(message);
            for (var count = _random.Next(5); count > 0; count--)
            {
                items.Add(Value(field, depth));
            }
        }

        return message;
    }

    private object Value(FieldDescriptor field, int depth) => field.FieldType switch
    {
        FieldType.Bool => _random.Next(2) == 0,
        FieldType.Int32 => (int)Bits(),
        FieldType.UInt32 => (uint)Bits(),
        FieldType.Int64 => (long)Bits(),
        FieldType.UInt64 => Bits(),
        FieldType.Float => Float(),

        // The library omits -0 in fields without presence, but does not treat it as equal to 0.
        FieldType.Double => field.HasPresence ? Double() : Double() + 0,
        FieldType.String => string.Concat(
            Enumerable.Range(0, _random.Next(6)).Select(_ => Letters[_random.Next(Letters.Length)])),
        FieldType.Bytes => ByteString.CopyFrom(Bytes()),
        FieldType.Enum => Enum.ToObject(
            field.EnumType.ClrType, field.EnumType.Values[_random.Next(field.EnumType.Values.Count)].Number),
        FieldType.Message => Make(field.MessageType, depth + 1),
        _ => throw new NotSupportedException(field.FullName),
    };

    // Small and large numbers are equally frequent.
    private ulong Bits() => _random.Next(8) switch
    {
        0 => 0,
        1 => ulong.MaxValue,
        2 => 1UL << _random.Next(64),
        3 => (1UL << _random.Next(64)) - 1,
        _ => (ulong)_random.NextInt64(long.MinValue, long.MaxValue) >> _random.Next(64),
    };

    private float Float()
    {
        float[] special =
        [0, -0f, float.NaN, float.PositiveInfinity, float.NegativeInfinity, float.MaxValue, float.Epsilon, 1e-30f];
        var any = BitConverter.Int32BitsToSingle(_random.Next(int.MinValue, int.MaxValue));
        return _random.Next(6) switch
        {
            0 => special[_random.Next(special.Length)],
            1 => float.IsNaN(any) ? float.NaN : any,
            2 => _random.Next(1 << 20) / 4096f,
            3 => _random.Next(100),
            _ => _random.NextSingle() * 200,
        };
    }

    private double Double()
    {
        var any = BitConverter.Int64BitsToDouble(_random.NextInt64(long.MinValue, long.MaxValue));
        return _random.Next(3) switch
        {
            0 => Float(),
            1 => double.IsNaN(any) ? double.NaN : any,
            _ => _random.NextDouble(),
        };
    }

    private byte[] Bytes()
    {
        var bytes = new byte[_random.Next(12)];
        _random.NextBytes(bytes);
        return bytes;
    }
}
