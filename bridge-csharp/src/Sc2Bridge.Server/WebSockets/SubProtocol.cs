using System.Net.WebSockets;
using Google.Protobuf;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Server;

/// <summary>A way in which messages travel over a connection that carries whole ones.</summary>
internal abstract class SubProtocol
{
    /// <summary>Text messages: canonical proto3 JSON.</summary>
    public static readonly SubProtocol Json = new JsonForm("sc2bridge.json.v1");

    /// <summary>Binary messages: the same in protobuf.</summary>
    public static readonly SubProtocol Proto = new ProtoForm("sc2bridge.proto.v1");

    private static readonly SubProtocol[] _served = [Json, Proto];

    private static readonly SubProtocol[] _old =
        [new JsonForm("sc2bridge.v1.json"), new ProtoForm("sc2bridge.v1.proto")];

    /// <summary>The name that clients offer.</summary>
    public abstract string Name { get; }

    /// <summary>The transport's name in tables and logs.</summary>
    public abstract string Transport { get; }

    /// <summary>How it carries a frame.</summary>
    public abstract MessageForm Form { get; }

    /// <summary>Text or binary.</summary>
    public abstract WebSocketMessageType MessageType { get; }

    /// <summary>The first of the client's offers that is supported; null where there is none.</summary>
    public static SubProtocol? Choose(IEnumerable<string> offered) => First(offered, _served);

    /// <summary>The same for clients from before 0.1.0, which only get an error.</summary>
    public static SubProtocol? ChooseOld(IEnumerable<string> offered) => First(offered, _old);

    /// <summary>Parses a message of an agent.</summary>
    /// <exception cref="EncodingException">It is no such message.</exception>
    public abstract PlayRequest Read(ReadOnlySpan<byte> message);

    /// <summary>Writes anything but a frame.</summary>
    public abstract void Write(PlayResponse message, MessageBuffer output);

    private static SubProtocol? First(IEnumerable<string> offered, SubProtocol[] known) =>
        offered.Select(name => Array.Find(known, form => form.Name == name)).FirstOrDefault(form => form is not null);

    private sealed class JsonForm(string name) : SubProtocol
    {
        public override string Name => name;

        public override string Transport => "ws.json";

        public override MessageForm Form => MessageForm.Json;

        public override WebSocketMessageType MessageType => WebSocketMessageType.Text;

        public override PlayRequest Read(ReadOnlySpan<byte> message) => JsonReader.ReadPlayRequest(message);

        public override void Write(PlayResponse message, MessageBuffer output) => JsonWriter.Write(message, output);
    }

    private sealed class ProtoForm(string name) : SubProtocol
    {
        public override string Name => name;

        public override string Transport => "ws.proto";

        public override MessageForm Form => MessageForm.Proto;

        public override WebSocketMessageType MessageType => WebSocketMessageType.Binary;

        // The library bounds the nesting at 100 by itself.
        public override PlayRequest Read(ReadOnlySpan<byte> message)
        {
            try
            {
                return PlayRequest.Parser.ParseFrom(message);
            }
            catch (InvalidProtocolBufferException invalid)
            {
                throw new EncodingException(
                    $"The {message.Length} bytes are no PlayRequest: {invalid.Message}", invalid);
            }
        }

        public override void Write(PlayResponse message, MessageBuffer output) => message.WriteTo(output);
    }
}
