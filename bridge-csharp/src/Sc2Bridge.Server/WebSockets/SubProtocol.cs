using System.Net.WebSockets;
using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>A way in which messages travel over a connection that carries whole ones.</summary>
internal sealed class SubProtocol
{
    /// <summary>Text messages: canonical proto3 JSON.</summary>
    public static readonly SubProtocol Json = new("sc2bridge.json.v1", MessageForm.Json);

    /// <summary>Binary messages: the same in protobuf.</summary>
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

    /// <summary>How it carries a frame.</summary>
    public MessageForm Form { get; }

    /// <summary>Text or binary.</summary>
    public WebSocketMessageType MessageType { get; }

    /// <summary>The first of the client's offers that is supported; null if the bridge supports no offer.</summary>
    public static SubProtocol? Choose(IEnumerable<string> offered) => First(offered, _served);

    /// <summary>The same for clients from before 0.1.0, which only get an error.</summary>
    public static SubProtocol? ChooseOld(IEnumerable<string> offered) => First(offered, _old);

    /// <summary>Parses a message of an agent.</summary>
    /// <exception cref="EncodingException">It is no such message.</exception>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it would take too much memory.</exception>
    public PlayRequest Read(ReadOnlySpan<byte> message)
    {
        try
        {
            // The library bounds the nesting at 100 by itself.
            return Form == MessageForm.Json ? JsonReader.ReadPlayRequest(message, Parse) : Parse(message);
        }
        catch (InvalidProtocolBufferException invalid)
        {
            throw new EncodingException($"The {message.Length} bytes are no PlayRequest: {invalid.Message}", invalid);
        }
    }

    private static PlayRequest Parse(ReadOnlySpan<byte> message) =>
        ParsedMemory.Fits(PlayRequest.Descriptor, message, SessionLimits.MostMemory) ? PlayRequest.Parser.ParseFrom(message)
        : throw new RequestRefusedException(StatusCode.ResourceExhausted, SessionLimits.TooMuchMemory);

    private static SubProtocol? First(IEnumerable<string> offered, SubProtocol[] known) =>
        offered.Select(name => Array.Find(known, form => form.Name == name)).FirstOrDefault(form => form is not null);
}
