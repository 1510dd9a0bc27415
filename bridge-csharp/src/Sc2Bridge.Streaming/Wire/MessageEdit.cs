using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Changes a serialized message by copying its bytes: fields are left out, others put in, and the rest stays as it is.
/// </summary>
internal sealed class MessageEdit
{
    private readonly HashSet<int> _removed = [];
    private readonly SortedDictionary<int, ArrayBufferWriter<byte>> _inserted = [];
    private readonly Dictionary<int, MessageEdit> _inside = [];

    private bool IsEmpty => _removed.Count == 0 && !Inserts && _inside.Values.All(edit => edit.IsEmpty);

    private bool Inserts => _inserted.Count > 0 || _inside.Values.Any(edit => edit.Inserts);

    /// <summary>Leaves a field out.</summary>
    public void Remove(int field) => _removed.Add(field);

    /// <summary>
    /// Puts a field of bytes in: before those of its number, and where fields stand in order behind lower ones.
    /// </summary>
    public void Insert(int field, ReadOnlySpan<byte> content) =>
        WireWriter.WriteBytes(Inserted(field), field, content);

    /// <summary>Puts a number's field in, at the same place.</summary>
    public void Insert(int field, ulong number) => WireWriter.WriteNumber(Inserted(field), field, number);

    /// <summary>
    /// The changes inside a field that is a message: in the first of its number, or in one that is put in.
    /// </summary>
    public MessageEdit Inside(int field)
    {
        if (!_inside.TryGetValue(field, out var edit))
        {
            _inside[field] = edit = new MessageEdit();
        }

        return edit;
    }

    /// <summary>Writes the changed message.</summary>
    /// <param name="message">The message; bytes that are none go on as they are.</param>
    /// <param name="to">Takes it.</param>
    public void Write(ReadOnlySpan<byte> message, IBufferWriter<byte> to)
    {
        if (IsEmpty || FieldsOf(message) is not { } fields)
        {
            to.Write(message);
            return;
        }

        foreach (var (field, edit) in _inside.Where(inside => inside.Value.Inserts && !fields.Contains(inside.Key)))
        {
            WireWriter.WriteBytes(Inserted(field), field, edit.Edited([]));
        }

        var written = 0;
        var changed = new HashSet<int>();
        var reader = new WireReader(message);
        while (reader.TryNext())
        {
            InsertUpTo(reader.Field, ref written, to);
            if (reader.Type == WireFormat.WireType.LengthDelimited
                && _inside.TryGetValue(reader.Field, out var edit) && changed.Add(reader.Field))
            {
                WireWriter.WriteBytes(to, reader.Field, edit.Edited(reader.Content));
            }
            else if (!_removed.Contains(reader.Field))
            {
                to.Write(reader.Whole);
            }
        }

        InsertUpTo(int.MaxValue, ref written, to);
    }

    // The fields of bytes that a message has; null where the bytes are none.
    private static HashSet<int>? FieldsOf(ReadOnlySpan<byte> message)
    {
        var fields = new HashSet<int>();
        var reader = new WireReader(message);
        while (reader.TryNext())
        {
            if (reader.Type == WireFormat.WireType.LengthDelimited)
            {
                fields.Add(reader.Field);
            }
        }

        return reader.IsMalformed ? null : fields;
    }

    private void InsertUpTo(int field, ref int written, IBufferWriter<byte> to)
    {
        for (; written < _inserted.Count && _inserted.Keys.ElementAt(written) <= field; written++)
        {
            to.Write(_inserted.Values.ElementAt(written).WrittenSpan);
        }
    }

    private ReadOnlySpan<byte> Edited(ReadOnlySpan<byte> content)
    {
        var bytes = new ArrayBufferWriter<byte>(content.Length + 256);
        Write(content, bytes);
        return bytes.WrittenSpan;
    }

    private ArrayBufferWriter<byte> Inserted(int field)
    {
        if (!_inserted.TryGetValue(field, out var bytes))
        {
            _inserted[field] = bytes = new ArrayBufferWriter<byte>();
        }

        return bytes;
    }
}
