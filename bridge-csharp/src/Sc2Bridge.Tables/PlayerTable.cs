using System.Globalization;
using Apache.Arrow.Types;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Sc2Bridge.Tables;

/// <summary>
/// A row for each observation: what the player has (<c>PlayerCommon</c>) and its score, each with its field's name, those
/// of the score's details behind <c>score_</c>. A field that the observation lacks is null.
/// </summary>
internal sealed class PlayerTable
{
    // In the order of the fields.
    private readonly List<TableColumn> _columns = [];

    internal PlayerTable()
    {
        Declare(PlayerCommon.Descriptor, "");
        Declare(Score.Descriptor, "");
        Table = new Table("players", _columns);
    }

    internal Table Table { get; }

    /// <summary>Adds an observation's row.</summary>
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
        _ => throw new NotSupportedException($"{field.FullName} has no form as a column"),
    };

    private static ulong Bits(object value) => value is float number
        ? BitConverter.SingleToUInt32Bits(number)
        : (ulong)Convert.ToInt64(value, CultureInfo.InvariantCulture);

    private void Declare(MessageDescriptor message, string prefix)
    {
        foreach (var field in message.Fields.InFieldNumberOrder())
        {
            var name = prefix + field.Name;
            if (field.FieldType == FieldType.Message)
            {
                Declare(field.MessageType, field.Name == "score_details" ? "score_" : $"{name}_");
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
