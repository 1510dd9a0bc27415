using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Testing;

/// <summary>Messages of any type, with random fields.</summary>
public sealed class AnyMessage(Random random)
{
    public T Of<T>()
        where T : IMessage<T>, new()
    {
        var message = new T();
        Fill(message, 0);
        return message;
    }

    private void Fill(IMessage message, int depth)
    {
        var oneof = message.Descriptor.Oneofs.Where(o => !o.IsSynthetic)
            .ToDictionary(o => o, o => o.Fields[random.Next(o.Fields.Count)]);
        foreach (var field in message.Descriptor.Fields.InFieldNumberOrder())
        {
            var wanted = field.ContainingOneof is { IsSynthetic: false } one
                ? oneof[one] == field
                : random.Next(3) > 0;
            if (!wanted || depth > 6)
            {
                continue;
            }

            if (field.IsRepeated)
            {
                var list = (System.Collections.IList)field.Accessor.GetValue(message);
                for (var left = random.Next(3); left > 0; left--)
                {
                    list.Add(Value(field, depth));
                }
            }
            else
            {
                field.Accessor.SetValue(message, Value(field, depth));
            }
        }
    }

    private object Value(FieldDescriptor field, int depth)
    {
        switch (field.FieldType)
        {
            case FieldType.Message:
                var inner = field.MessageType.Parser.ParseFrom(ByteString.Empty);
                Fill(inner, depth + 1);
                return inner;
            case FieldType.Enum:
                var value = field.EnumType.Values[random.Next(field.EnumType.Values.Count)].Number;
                return Enum.ToObject(field.EnumType.ClrType, value);
            case FieldType.Bool:
                return random.Next(2) == 0;
            case FieldType.String:
                return random.Next(2) == 0 ? "Cinder Fortress LE" : "\0ü";
            case FieldType.Bytes:
                return ByteString.CopyFromUtf8(random.Next(2) == 0 ? "MPQ" : "sc2bridge replay and more");
            case FieldType.Float:
                return random.Next(5) switch
                {
                    0 => float.NaN,
                    1 => float.NegativeInfinity,
                    2 => random.NextSingle() * 1e20f,
                    _ => random.NextSingle() * 180,
                };
            case FieldType.Double:
                return random.NextDouble();
            case FieldType.Int32 or FieldType.SInt32:
                return random.Next(4) == 0 ? int.MinValue : random.Next(-2, 4100);
            case FieldType.Int64:
                return (long)random.Next();
            case FieldType.UInt64:
                return random.Next(2) == 0 ? ulong.MaxValue : (ulong)random.Next();
            default:
                return random.Next(4) == 0 ? uint.MaxValue : (uint)random.Next(4100);
        }
    }
}
