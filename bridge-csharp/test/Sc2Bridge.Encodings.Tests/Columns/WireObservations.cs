namespace Sc2Bridge.Encodings.Tests.Columns;

/// <summary>
/// Observations in every form that protobuf allows: fields in any order and several times, packed and not, points in
/// parts, tags and lengths longer than need be, unknown fields and groups, messages in pieces.
/// </summary>
internal sealed class WireObservations(Random random)
{
    private static readonly float[] Floats = [0f, -0f, 1.5f, float.NaN, float.NegativeInfinity, float.Epsilon, 1e30f];

    private static readonly ulong[] Numbers = [0, 1, 2, 16, 127, 128, 300, uint.MaxValue, 1ul << 40, ulong.MaxValue];

    /// <summary>A serialized ResponseObservation.</summary>
    public static byte[] Make(int seed) => new WireObservations(new Random(seed)).Response();

    private byte[] Response() => Fields(random.Next(4), () => random.Next(3) == 0
        ? Other(ResponseObservation.Descriptor, ResponseObservation.ObservationFieldNumber)
        : Bytes(ResponseObservation.ObservationFieldNumber, Fields(random.Next(4), () => random.Next(3) == 0
            ? Other(Observation.Descriptor, Observation.RawDataFieldNumber)
            : Bytes(Observation.RawDataFieldNumber, Fields(random.Next(4), () => random.Next(3) == 0
                ? Other(ObservationRaw.Descriptor, ObservationRaw.UnitsFieldNumber)
                : Fields(random.Next(20), () => Bytes(ObservationRaw.UnitsFieldNumber, Message(Unit.Descriptor))))))));

    private byte[] Message(MessageDescriptor type)
    {
        var fields = type.Fields.InFieldNumberOrder();
        return Fields(random.Next(random.Next(10) == 0 ? 120 : 25), () => Field(fields[random.Next(fields.Count)]));
    }

    private byte[] Field(FieldDescriptor field) => field switch
    {
        _ when random.Next(20) == 0 => Unknown(100 + random.Next(1000)),
        { FieldType: FieldType.Message } => Bytes(field.FieldNumber, Message(field.MessageType)),
        { FieldType: FieldType.Float } => Fixed(field.FieldNumber, Floats[random.Next(Floats.Length)]),
        { FieldType: FieldType.Enum } => Varint(
            field.FieldNumber, (ulong)field.EnumType.Values[random.Next(field.EnumType.Values.Count)].Number),
        { IsRepeated: true } when random.Next(2) == 0 => Bytes(
            field.FieldNumber, Fields(random.Next(4), () => Number(Numbers[random.Next(Numbers.Length)]))),
        _ => Varint(field.FieldNumber, Numbers[random.Next(Numbers.Length)]),
    };

    // A field with another meaning or another wire type than in the contract.
    private byte[] Other(MessageDescriptor type, int but)
    {
        var numbers = type.Fields.InFieldNumberOrder().Where(field =>
            field.FieldNumber != but && field.FieldType is FieldType.Int32 or FieldType.UInt32).ToArray();
        return random.Next(3) switch
        {
            0 => Unknown(100 + random.Next(1000)),
            1 => Varint(but, Numbers[random.Next(Numbers.Length)]),
            _ when numbers.Length > 0 => Varint(numbers[0].FieldNumber, Numbers[random.Next(Numbers.Length)]),
            _ => [],
        };
    }

    private byte[] Unknown(int number) => random.Next(5) switch
    {
        0 => Varint(number, Numbers[random.Next(Numbers.Length)]),
        1 => Fixed(number, 1f),
        2 => [.. Tag(number, WireFormat.WireType.Fixed64), .. new byte[8]],
        3 => [
            .. Tag(number, WireFormat.WireType.StartGroup), .. Varint(3, 7),
            .. Tag(number, WireFormat.WireType.EndGroup),
        ],
        _ => Bytes(number, new byte[random.Next(200)]),
    };

    private static byte[] Fields(int count, Func<byte[]> field) =>
        [.. Enumerable.Range(0, count).SelectMany(_ => field())];

    private byte[] Bytes(int number, byte[] content) =>
        [.. Tag(number, WireFormat.WireType.LengthDelimited), .. Number((ulong)content.Length), .. content];

    private byte[] Varint(int number, ulong value) => [.. Tag(number, WireFormat.WireType.Varint), .. Number(value)];

    private byte[] Fixed(int number, float value) =>
        [.. Tag(number, WireFormat.WireType.Fixed32), .. BitConverter.GetBytes(value)];

    private byte[] Tag(int number, WireFormat.WireType type) => Number(WireFormat.MakeTag(number, type));

    // Sometimes with one or two redundant bytes.
    private byte[] Number(ulong value)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
        {
            bytes.Add((byte)(value | 0x80));
        }

        bytes.Add((byte)value);
        for (var more = random.Next(30) == 0 ? random.Next(3) : 0; more > 0 && bytes.Count < 5; more--)
        {
            bytes[^1] |= 0x80;
            bytes.Add(0);
        }

        return [.. bytes];
    }
}
