using Google.Protobuf.Reflection;
using Sc2Bridge.Encodings.Json.Writing;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Encodings.Json;

/// <summary>
/// Writes messages as canonical proto3 JSON (https://protobuf.dev/programming-guides/json) straight from the wire, in
/// one pass and without an object of any message. For one thread.
/// </summary>
/// <remarks>
/// The text has no white space; floating-point numbers are the shortest that read back as the same. As Google.Protobuf
/// does: unknown fields are left out, and of a field that stands twice the last counts (messages are merged). Text that
/// is no UTF-8 is mended with U+FFFD, so that a cut off name does not cost the observation; only where a message has to
/// be put in order is it refused, as the library does that and refuses it. The game's enums are closed (proto2): a number that the contract does not know is
/// left out, as every protobuf library that reads the JSON would refuse the whole message for it.
/// </remarks>
public sealed class WireToJson : IDisposable
{
    private readonly TextMessage _type;
    private readonly TextPass _pass;
    private readonly ListCache? _list;
    private byte[] _source = [];

    /// <summary>A writer of one type of message.</summary>
    /// <param name="type">The type.</param>
    /// <param name="remembered">
    /// A list of messages in it, at any depth, of which the items that stood in the last message byte for byte are
    /// taken over from its text: which message comes after which decides how long writing takes, and nothing else.
    /// Where there is one, the last output is held until the next or until <see cref="Dispose"/>, and a copy of its
    /// message.
    /// </param>
    /// <exception cref="NotSupportedException">The type has a field of a kind that neither contract has.</exception>
    public WireToJson(MessageDescriptor type, FieldDescriptor? remembered = null)
    {
        ArgumentNullException.ThrowIfNull(type);
        _type = TextMessage.Of(type);
        if (remembered is not null)
        {
            var tag = Google.Protobuf.WireFormat.MakeTag(
                remembered.FieldNumber, Google.Protobuf.WireFormat.WireType.LengthDelimited);
            var field = TextMessage.Of(remembered.ContainingType).Fields[tag];
            if (field is not { IsList: true, Message: not null })
            {
                throw new ArgumentException($"{remembered.FullName} is no list of messages", nameof(remembered));
            }

            _list = new ListCache(field);
        }

        _pass = new TextPass(_list);
    }

    /// <summary>Appends a message's text, in UTF-8.</summary>
    /// <param name="message">The bytes; nothing of them is held.</param>
    /// <param name="output">Held by the caller alone.</param>
    /// <exception cref="EncodingException">
    /// The message is malformed, at <see cref="EncodingException.Offset"/>; the output is as it was.
    /// </exception>
    public void Write(ReadOnlySpan<byte> message, MessageBuffer output) => Write(message, default, output);

    /// <summary>The same of a message whose bytes stand in two places.</summary>
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
            _list?.Forget();
            output.Truncate(length);
            throw;
        }

        _list?.Keep(ref _source, output);
    }

    /// <summary>Releases the last output; the writer can be used on.</summary>
    public void Dispose() => _list?.Forget();
}
