using System.Globalization;
using Apache.Arrow.Types;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Sc2Bridge.Tables;

/// <summary>
/// One row for each observation, with the player's resources (<c>PlayerCommon</c>) and score. Each column has the name of its
/// field; the names of the score's details start with <c>score_</c>. A field that the observation lacks is null.
/// </summary>
internal sealed class PlayerTable
{
    // In the order of the fields. Add relies on it.
    private readonly List<TableColumn> _columns = [];

    internal PlayerTable()
    {
        AddColumns(PlayerCommon.Descriptor, "");
        AddColumns(Score.Descriptor, "");
        Table = new Table("players", _columns);
    }

    internal Table Table { get; }

    internal void Add(Observation? observation)
    {
        var column = 0;
        Add(PlayerCommon.Descriptor, observation?.PlayerCommon, ref column);
        Add(Score.Descriptor, observation?.Score, ref column);
    }

    private static TableColumn ColumnOf(FieldDescriptor field, string name) => field.FieldType switch
    {
        FieldType.Float => new OptionalColumn<float>(name, FloatType.Default),
        FieldType.Int32 => new OptionalColumn<int>(name, Int32Type.Default),
        FieldType.UInt32 => new OptionalColumn<uint>(name, UInt32Type.Default),
        FieldType.Enum => new OptionalColumn<byte>(name, UInt8Type.Default),
        _ => throw new NotSupportedException($"the type of {field.FullName} is not supported as a column"),
    };

    private static ulong Bits(object value) => value is float number
        ? BitConverter.SingleToUInt32Bits(number)
        : (ulong)Convert.ToInt64(value, CultureInfo.InvariantCulture);

    private void AddColumns(MessageDescriptor message, string prefix)
    {
        foreach (var field in message.Fields.InFieldNumberOrder())
        {
            var name = prefix + field.Name;
            if (field.FieldType == FieldType.Message)
            {
                AddColumns(field.MessageType, field.Name == "score_details" ? "score_" : $"{name}_");
            }
            else
            {
                _columns.Add(ColumnOf(field, name));
            }
        }
    }

    private void Add(MessageDescriptor type, IMessage? message, ref int column)
    {
        foreach (var field in type.Fields.InFieldNumberOrder())
        {
            if (field.FieldType == FieldType.Message)
            {
                Add(field.MessageType, message is null ? null : (IMessage?)field.Accessor.GetValue(message), ref column);
            }
            else if (message is not null && field.Accessor.HasValue(message))
            {
                _columns[column++].Add(Bits(field.Accessor.GetValue(message)));
            }
            else
            {
                _columns[column++].AddEmpty(1);
            }
        }
    }
}
