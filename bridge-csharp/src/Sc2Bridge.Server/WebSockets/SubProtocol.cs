using System.Net.WebSockets;
using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>A sub-protocol of the WebSocket, with the encoding of its messages. Shared memory also uses <see cref="Proto"/>.</summary>
internal sealed class SubProtocol
{
    /// <summary>Text messages: canonical proto3 JSON.</summary>
    public static readonly SubProtocol Json = new("sc2bridge.json.v1", MessageForm.Json);

    /// <summary>Binary messages: the same messages in protobuf.</summary>
    public static readonly SubProtocol Proto = new("sc2bridge.proto.v1", MessageForm.Proto);

    private static readonly SubProtocol[] _served = [Json, Proto];

    private static readonly SubProtocol[] _old =
        [new("sc2bridge.v1.json", MessageForm.Json), new("sc2bridge.v1.proto", MessageForm.Proto)];

    private SubProtocol(string name, MessageForm form)
    {
        (Name, Form) = (name, form);
        (Transport, MessageType) = form == MessageForm.Json
            ? ("ws.json", WebSocketMessageType.Text) : ("ws.proto", WebSocketMessageType.Binary);
    }

    /// <summary>The name that clients offer.</summary>
    public string Name { get; }

    /// <summary>The transport's name in tables and logs.</summary>
    public string Transport { get; }

    /// <summary>The encoding of the messages.</summary>
    public MessageForm Form { get; }

    /// <summary>Text or binary.</summary>
    public WebSocketMessageType MessageType { get; }

    /// <summary>The first offered sub-protocol that is supported; null if the bridge supports none of them.</summary>
    public static SubProtocol? Choose(IEnumerable<string> offered) => First(offered, _served);

    /// <summary>The first offered sub-protocol from before 0.1.0. A client with such a sub-protocol gets only an error.</summary>
    public static SubProtocol? ChooseOld(IEnumerable<string> offered) => First(offered, _old);

    /// <summary>Parses a client's message.</summary>
    /// <exception cref="EncodingException">The bytes are not a valid message.</exception>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: the message would use too much memory.</exception>
    public PlayRequest Read(ReadOnlySpan<byte> message)
    {
        try
        {
            // The library limits the nesting to 100 levels.
            return Form == MessageForm.Json ? JsonReader.ReadPlayRequest(message, Parse) : Parse(message);
        }
        catch (InvalidProtocolBufferException invalid)
        {
            throw new EncodingException($"The {message.Length} bytes are not a PlayRequest: {invalid.Message}", invalid);
        }
    }

    private static PlayRequest Parse(ReadOnlySpan<byte> message) =>
        ParsedMemory.Fits(PlayRequest.Descriptor, message, SessionLimits.MostMessageMemory) ? PlayRequest.Parser.ParseFrom(message)
        : throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.TooMuchMemoryMessage);

    private static SubProtocol? First(IEnumerable<string> offered, SubProtocol[] known) =>
        offered.Select(name => Array.Find(known, protocol => protocol.Name == name)).FirstOrDefault(protocol => protocol is not null);
}
