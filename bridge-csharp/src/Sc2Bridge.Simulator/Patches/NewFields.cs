using System.Buffers;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Patches;

/// <summary>
/// Writes a response as a new version might: with unknown fields in its messages at every depth, unknown values of
/// enumerations, and more bits in the pixels of feature layers.
/// </summary>
/// <param name="patch">The version.</param>
/// <param name="random">Chooses what is new in this response.</param>
internal sealed class NewFields(Patch patch, WorldRandom random)
{
    // No client could play without these: the success of requests, the players, the end of a match, and a unit's owner. Clients with
    // protobuf read an unknown alliance as the first one, Self, so other players' units would seem to be their own. The client itself sets
    // Difficulty and AIBuild. A new version does not remove attributes of a unit type, such as Structure of town halls: NewContent adds one.
    private static readonly HashSet<string> Kept =
        ["Status", "Error", "PlayerType", "Race", "Difficulty", "AIBuild", "Result", "Alliance", "Attribute"];

    private readonly WireWriter _wire = new(MessageBuffer.Rent());
    private WorldRandom _random = random;

    /// <summary>Writes a serialized Response.</summary>
    public void Write(ReadOnlySpan<byte> response, IBufferWriter<byte> to)
    {
        Copy(Response.Descriptor, response);
        to.Write(_wire.Buffer.Written.Span);
        _wire.Buffer.Release();
    }

    private void Copy(MessageDescriptor type, ReadOnlySpan<byte> message)
    {
        var (number, kind) = patch.NewFieldOf(type);
        var added = number == 0 || _random.Next(4) == 0;
        var reader = new WireReader(message);
        while (reader.Next())
        {
            if (!added && reader.Field > number)
            {
                Add(number, kind);
                added = true;
            }

            Copy(type.FindFieldByNumber(reader.Field), ref reader);
        }

        if (!added)
        {
            Add(number, kind);
        }
    }

    // The field is null if a client's action had an unknown field. Such an action is reported back.
    private void Copy(FieldDescriptor? field, ref WireReader reader)
    {
        if (field?.FieldType == FieldType.Message && reader.Type == WireFormat.WireType.LengthDelimited)
        {
            var layer = patch.MoreBits && field.MessageType == ImageData.Descriptor
                && field.ContainingType.Name.StartsWith("FeatureLayers", StringComparison.Ordinal);
            var start = _wire.Begin(reader.Field);
            Copy(
                field.MessageType,
                layer ? LargerImages.Widen(ImageData.Parser.ParseFrom(reader.Content)).ToByteArray() : reader.Content);
            _wire.End(start);
        }
        else if (field?.FieldType == FieldType.Enum && reader.Type == WireFormat.WireType.Varint
            && IsExtended(field.EnumType, reader.VarintValue) && _random.Next(20) == 0)
        {
            _wire.Number(reader.Field, patch.NewValue(field.EnumType));
        }
        else
        {
            _wire.Raw(reader.Whole);
        }
    }

    private static bool IsExtended(EnumDescriptor type, ulong value) => !Kept.Contains(type.Name)
        && (type.Name != nameof(ActionResult) || value != (ulong)ActionResult.Success);

    private void Add(int field, int kind)
    {
        switch (kind)
        {
            case 0:
                _wire.Number(field, _random.Next(1 << 20));
                break;
            case 1:
                _wire.Number(field, ulong.MaxValue - (ulong)_random.Next(9));
                break;
            case 2:
                _wire.Real(field, _random.Next(1000) / 8f);
                break;
            case 3:
                _wire.Varint(WireFormat.MakeTag(field, WireFormat.WireType.Fixed64));
                _wire.Fixed64((ulong)_random.Next(int.MaxValue));
                break;
            case 4:
                // A repeated message with a number and a text.
                var message = new BuffData { BuffId = (uint)_random.Next(300), Name = "new in this version" }.ToByteArray();
                _wire.Bytes(field, message);
                _wire.Bytes(field, message);
                break;
            default:
                _wire.Bytes(field, [.. Enumerable.Repeat((byte)0xFF, _random.Next(40))]); // Not a valid message.
                break;
        }
    }
}
