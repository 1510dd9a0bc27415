using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>Copies the bytes of a serialized message with changes: removes fields, inserts fields, and leaves the rest unchanged.</summary>
internal sealed class MessageEdit
{
    private readonly HashSet<int> _removed = [];
    private readonly SortedDictionary<int, ArrayBufferWriter<byte>> _inserted = [];
    private readonly Dictionary<int, MessageEdit> _innerEdits = [];

    private bool IsEmpty => _removed.Count == 0 && !HasInsertions && _innerEdits.Values.All(edit => edit.IsEmpty);

    private bool HasInsertions => _inserted.Count > 0 || _innerEdits.Values.Any(edit => edit.HasInsertions);

    /// <summary>Removes all fields with this number.</summary>
    public void Remove(int field) => _removed.Add(field);

    /// <summary>Inserts a length-delimited field before the first field with the same or a higher number.</summary>
    public void Insert(int field, ReadOnlySpan<byte> content) =>
        WireWriter.WriteBytes(InsertedBytesAt(field), field, content);

    /// <summary>Inserts a numeric field before the first field with the same or a higher number.</summary>
    public void Insert(int field, ulong number) => WireWriter.WriteNumber(InsertedBytesAt(field), field, number);

    /// <summary>The changes inside the first message field with this number. If the field is missing, insertions create the field.</summary>
    public MessageEdit Inside(int field)
    {
        if (!_innerEdits.TryGetValue(field, out var edit))
        {
            _innerEdits[field] = edit = new MessageEdit();
        }

        return edit;
    }

    /// <summary>Writes the changed message.</summary>
    /// <param name="message">The message. Malformed bytes are written unchanged.</param>
    /// <param name="to">The output.</param>
    public void Write(ReadOnlySpan<byte> message, IBufferWriter<byte> to)
    {
        if (IsEmpty || FieldsOf(message) is not { } fields)
        {
            to.Write(message);
            return;
        }

        foreach (var (field, edit) in _innerEdits.Where(inside => inside.Value.HasInsertions && !fields.Contains(inside.Key)))
        {
            WireWriter.WriteBytes(InsertedBytesAt(field), field, edit.EditedBytes([]));
        }

        var written = 0;
        var changed = new HashSet<int>();
        var reader = new WireReader(message);
        while (reader.TryNext())
        {
            InsertUpTo(reader.Field, ref written, to);
            if (reader.Type == WireFormat.WireType.LengthDelimited
                && _innerEdits.TryGetValue(reader.Field, out var edit) && changed.Add(reader.Field))
            {
                WireWriter.WriteBytes(to, reader.Field, edit.EditedBytes(reader.Content));
            }
            else if (!_removed.Contains(reader.Field))
            {
                to.Write(reader.Whole);
            }
        }

        InsertUpTo(int.MaxValue, ref written, to);
    }

    // The numbers of the length-delimited fields of a message; null if the message is malformed.
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

    private ReadOnlySpan<byte> EditedBytes(ReadOnlySpan<byte> content)
    {
        var bytes = new ArrayBufferWriter<byte>(content.Length + 256);
        Write(content, bytes);
        return bytes.WrittenSpan;
    }

    private ArrayBufferWriter<byte> InsertedBytesAt(int field)
    {
        if (!_inserted.TryGetValue(field, out var bytes))
        {
            _inserted[field] = bytes = new ArrayBufferWriter<byte>();
        }

        return bytes;
    }
}
