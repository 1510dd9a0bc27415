namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>
/// Writes messages in other forms that protobuf allows: fields in any order, in pieces and several times, lists packed
/// and not, several members of a oneof, tags and lengths longer than need be, fields and groups that no contract knows,
/// known ones with another wire type, numbers that an enum does not name.
/// </summary>
internal sealed class Disorder(Random random)
{
    private const int ForeignField = 1900;

    /// <summary>Another serialized form of a message, or of several merged messages.</summary>
    public byte[] Write(MessageDescriptor type, params IEnumerable<byte[]> messages)
    {
        var pieces = messages.SelectMany(message => Pieces(type, message)).ToList();
        if (random.Next(3) > 0)
        {
            for (var swap = random.Next(pieces.Count + 1); swap > 0; swap--)
            {
                var (one, other) = (random.Next(pieces.Count), random.Next(pieces.Count));
                (pieces[one], pieces[other]) = (pieces[other], pieces[one]);
            }
        }

        for (var more = random.Next(4) - 1; more > 0 && pieces.Count > 0; more--)
        {
            pieces.Insert(random.Next(pieces.Count), pieces[random.Next(pieces.Count)]);
        }

        for (var more = random.Next(5) - 2; more > 0; more--)
        {
            pieces.Insert(random.Next(pieces.Count + 1), Foreign(type));
        }

        return [.. pieces.SelectMany(piece => piece)];
    }

    private List<byte[]> Pieces(MessageDescriptor type, byte[] message)
    {
        var pieces = new List<byte[]>();
        var input = new CodedInputStream(message);
        while (input.ReadTag() is var tag && tag != 0)
        {
            var number = WireFormat.GetTagFieldNumber(tag);
            var field = type.FindFieldByNumber(number)!;
            switch (WireFormat.GetTagWireType(tag))
            {
                case WireFormat.WireType.Varint:
                    pieces.Add(Values(field, [Varint(Number(field, input.ReadUInt64()))], WireFormat.WireType.Varint));
                    break;
                case WireFormat.WireType.Fixed64:
                    pieces.Add(
                        Values(field, [BitConverter.GetBytes(input.ReadFixed64())], WireFormat.WireType.Fixed64));
                    break;
                case WireFormat.WireType.Fixed32:
                    pieces.Add(
                        Values(field, [BitConverter.GetBytes(input.ReadFixed32())], WireFormat.WireType.Fixed32));
                    break;
                default:
                    pieces.AddRange(Bytes(field, input.ReadBytes().ToByteArray()));
                    break;
            }
        }

        return pieces;
    }

    private IEnumerable<byte[]> Bytes(FieldDescriptor field, byte[] content)
    {
        switch (field.FieldType)
        {
            case FieldType.Message:
                if (!field.IsRepeated && random.Next(4) == 0)
                {
                    yield return Bytes(field.FieldNumber, Write(field.MessageType, content));
                }

                yield return Bytes(field.FieldNumber, Write(field.MessageType, content));
                break;
            case FieldType.String:
            case FieldType.Bytes:
                yield return Bytes(field.FieldNumber, content);
                break;
            default:
                // A packed list, in one or several pieces of either form.
                var values = Unpack(field, new CodedInputStream(content)).ToList();
                for (var done = 0; done < values.Count;)
                {
                    var some = random.Next(2) == 0 ? values.Count - done : random.Next(1, values.Count - done + 1);
                    yield return Values(field, values.GetRange(done, some), UnpackedType(field));
                    done += some;
                }

                break;
        }
    }

    private IEnumerable<byte[]> Unpack(FieldDescriptor field, CodedInputStream input)
    {
        while (!input.IsAtEnd)
        {
            yield return UnpackedType(field) switch
            {
                WireFormat.WireType.Varint => Varint(Number(field, input.ReadUInt64())),
                WireFormat.WireType.Fixed32 => BitConverter.GetBytes(input.ReadFixed32()),
                _ => BitConverter.GetBytes(input.ReadFixed64()),
            };
        }
    }

    private static WireFormat.WireType UnpackedType(FieldDescriptor field) => field.FieldType switch
    {
        FieldType.Float => WireFormat.WireType.Fixed32,
        FieldType.Double => WireFormat.WireType.Fixed64,
        _ => WireFormat.WireType.Varint,
    };

    // Packed or unpacked at random.
    private byte[] Values(FieldDescriptor field, List<byte[]> values, WireFormat.WireType type) =>
        field.IsRepeated && random.Next(2) == 0
            ? Bytes(field.FieldNumber, [.. values.SelectMany(value => value)])
            : [.. values.SelectMany(value => (byte[])[.. Tag(field.FieldNumber, type), .. value])];

    private ulong Number(FieldDescriptor field, ulong number) =>
        field.FieldType == FieldType.Enum && random.Next(4) == 0 ? (ulong)random.Next(-3, 400) : number;

    private byte[] Foreign(MessageDescriptor type)
    {
        var fields = type.Fields.InFieldNumberOrder();
        var number = fields.Count > 0 && random.Next(3) == 0
            ? fields[random.Next(fields.Count)].FieldNumber
            : ForeignField + random.Next(1 << 20);
        var wire = random.Next(5) switch
        {
            0 => WireFormat.WireType.Varint,
            1 => WireFormat.WireType.Fixed32,
            2 => WireFormat.WireType.Fixed64,
            3 => WireFormat.WireType.StartGroup,
            _ => WireFormat.WireType.LengthDelimited,
        };

        // Another wire type than the contract's. Lists of numbers have two valid types.
        if (type.FindFieldByNumber(number) is { } known
            && (wire == WireFormat.WireType.LengthDelimited || wire == UnpackedType(known)))
        {
            wire = WireFormat.WireType.StartGroup;
        }

        return wire switch
        {
            WireFormat.WireType.Varint => [.. Tag(number, wire), .. Varint((ulong)random.NextInt64())],
            WireFormat.WireType.Fixed32 => [.. Tag(number, wire), 1, 2, 3, 4],
            WireFormat.WireType.Fixed64 => [.. Tag(number, wire), 1, 2, 3, 4, 5, 6, 7, 8],
            WireFormat.WireType.LengthDelimited => Bytes(number, new byte[random.Next(5)]),
            _ =>
            [.. Tag(number, wire), .. Tag(3, 0), 0, .. Bytes(1, [5]), .. Tag(number, WireFormat.WireType.EndGroup)],
        };
    }

    private byte[] Bytes(int number, byte[] content) =>
        [.. Tag(number, WireFormat.WireType.LengthDelimited), .. Varint((ulong)content.Length), .. content];

    private byte[] Tag(int number, WireFormat.WireType type) => Varint(WireFormat.MakeTag(number, type));

    // Sometimes longer than necessary.
    private byte[] Varint(ulong value)
    {
        var bytes = new List<byte>();
        while (value >= 0x80)
        {
            bytes.Add((byte)(value | 0x80));
            value >>= 7;
        }

        bytes.Add((byte)value);
        for (var more = random.Next(12) - 9; more > 0 && bytes.Count < 10; more--)
        {
            bytes[^1] |= 0x80;
            bytes.Add(0);
        }

        return [.. bytes];
    }
}
