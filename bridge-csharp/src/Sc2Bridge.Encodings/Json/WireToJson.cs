using Google.Protobuf.Reflection;
using Sc2Bridge.Encodings.Json.Writing;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>
/// Converts messages from protobuf's wire format to canonical proto3 JSON (https://protobuf.dev/programming-guides/json) in one pass
/// and without objects. Not thread-safe.
/// </summary>
/// <remarks>
/// The text has no white space. Floating-point numbers have the fewest digits that parse to the same value. As in Google.Protobuf,
/// unknown fields are left out. If a non-repeated field comes twice, its last value counts; messages are merged. Invalid UTF-8 becomes
/// U+FFFD, so that a truncated name does not make the observation unreadable. The exception is a message with fields out of order:
/// Google.Protobuf parses it, and refuses invalid UTF-8. The game's enums are closed (proto2): an unknown number is left out, because
/// protobuf libraries would otherwise refuse the whole JSON message.
/// </remarks>
public sealed class WireToJson : IDisposable
{
    private readonly TextMessage _type;
    private readonly TextPass _pass;
    private readonly ListCache? _list;
    private byte[] _source = [];

    /// <summary>Creates a writer for one message type.</summary>
    /// <param name="type">The message type.</param>
    /// <param name="cachedList">
    /// A list of messages in this type, at any depth; null for no cache. Items with the same bytes as in the previous message are copied from
    /// the previous text. The order of messages only affects the speed. With a cache, the writer keeps a reference to the last output and a copy of
    /// its message, until the next message or <see cref="Dispose"/>.
    /// </param>
    /// <exception cref="NotSupportedException">A field has an unsupported type.</exception>
    public WireToJson(MessageDescriptor type, FieldDescriptor? cachedList = null)
    {
        ArgumentNullException.ThrowIfNull(type);
        _type = TextMessage.Of(type);
        if (cachedList is not null)
        {
            var tag = Google.Protobuf.WireFormat.MakeTag(
                cachedList.FieldNumber, Google.Protobuf.WireFormat.WireType.LengthDelimited);
            var field = TextMessage.Of(cachedList.ContainingType).Fields[tag];
            if (field is not { IsList: true, Message: not null })
            {
                throw new ArgumentException($"{cachedList.FullName} is not a list of messages", nameof(cachedList));
            }

            _list = new ListCache(field);
        }

        _pass = new TextPass(_list);
    }

    /// <summary>Appends a message as UTF-8 text.</summary>
    /// <param name="message">The bytes. They are used during the call only.</param>
    /// <param name="output">The buffer to which the text is appended. No other thread may use it.</param>
    /// <exception cref="EncodingException">
    /// The message is malformed at <see cref="EncodingException.Offset"/>. The output is unchanged.
    /// </exception>
    public void Write(ReadOnlySpan<byte> message, MessageBuffer output) => Write(message, default, output);

    /// <summary>Appends a message whose bytes are in two parts.</summary>
    internal void Write(ReadOnlySpan<byte> head, ReadOnlySpan<byte> rest, MessageBuffer output)
    {
        ArgumentNullException.ThrowIfNull(output);
        var size = checked(head.Length + rest.Length);
        if (_source.Length < size + WireBytes.Padding)
        {
            _source = new byte[size + (size / 4) + WireBytes.Padding];
        }

        head.CopyTo(_source);
        rest.CopyTo(_source.AsSpan(head.Length));
        _source.AsSpan(size, WireBytes.Padding).Clear();
        var length = output.Length;
        try
        {
            _pass.Write(_type, _source, size, output);
        }
        catch
        {
            _list?.Clear();
            output.Truncate(length);
            throw;
        }

        _list?.Keep(ref _source, output);
    }

    /// <summary>Empties the cache and releases the last output. The writer can still be used.</summary>
    public void Dispose() => _list?.Clear();
}
