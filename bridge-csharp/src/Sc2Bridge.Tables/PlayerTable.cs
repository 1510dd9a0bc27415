using System.Buffers.Binary;
using Apache.Arrow.Types;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Tables;

/// <summary>
/// A row for each observation: what the player has (<c>PlayerCommon</c>) and its score, each with its field's name, those
/// of the score's details behind <c>score_</c>. A field that the observation lacks is null.
/// </summary>
internal sealed class PlayerTable
{
    private readonly List<TableColumn> _columns = [];
    private readonly Node _root;
    private readonly ulong?[] _row;

    internal PlayerTable()
    {
        var common = Of(PlayerCommon.Descriptor, "");
        var score = Of(Score.Descriptor, "");
        _root = Inside(ResponseObservation.ObservationFieldNumber, new Node(-1, new()
        {
            [Observation.PlayerCommonFieldNumber] = common,
            [Observation.ScoreFieldNumber] = score,
        }));
        _row = new ulong?[_columns.Count];
        Table = new Table("players", _columns);
    }

    internal Table Table { get; }

    /// <summary>Adds an observation's row.</summary>
    internal void Add(ReadOnlySpan<byte> observation)
    {
        Array.Clear(_row);
        Read(_root, observation);
        for (var column = 0; column < _row.Length; column++)
        {
            if (_row[column] is { } bits)
            {
                _columns[column].Add(bits);
            }
            else
            {
                _columns[column].AddEmpty(1);
            }
        }
    }

    private static TableColumn ColumnOf(FieldDescriptor field, string name) => field.FieldType switch
    {
        FieldType.Float => new OptionalColumn<float>(name, FloatType.Default),
        FieldType.Int32 => new OptionalColumn<int>(name, Int32Type.Default),
        FieldType.UInt32 => new OptionalColumn<uint>(name, UInt32Type.Default),
        FieldType.Enum => new OptionalColumn<byte>(name, UInt8Type.Default),
        _ => throw new NotSupportedException($"{field.FullName} has no form as a column"),
    };

    private static Node Inside(int field, Node node) => new(-1, new() { [field] = node });

    private Node Of(MessageDescriptor message, string prefix)
    {
        var fields = new Dictionary<int, Node>();
        foreach (var field in message.Fields.InFieldNumberOrder())
        {
            var name = prefix + field.Name;
            if (field.FieldType == FieldType.Message)
            {
                fields[field.FieldNumber] = Of(field.MessageType, field.Name == "score_details" ? "score_" : $"{name}_");
                continue;
            }

            fields[field.FieldNumber] = new(_columns.Count, []);
            _columns.Add(ColumnOf(field, name));
        }

        return new(-1, fields);
    }

    private void Read(Node node, ReadOnlySpan<byte> message)
    {
        var reader = new WireReader(message);
        while (reader.Next())
        {
            if (!node.Fields.TryGetValue(reader.Field, out var field))
            {
                continue;
            }

            if (field.Column < 0 && reader.Type == WireFormat.WireType.LengthDelimited)
            {
                Read(field, reader.Content);
            }
            else if (field.Column >= 0 && reader.Type is WireFormat.WireType.Varint or WireFormat.WireType.Fixed32)
            {
                _row[field.Column] = reader.Type == WireFormat.WireType.Varint
                    ? reader.Number
                    : BinaryPrimitives.ReadUInt32LittleEndian(reader.Content);
            }
        }
    }

    // A field that is a column, or a message that has some.
    private sealed record Node(int Column, Dictionary<int, Node> Fields);
}
