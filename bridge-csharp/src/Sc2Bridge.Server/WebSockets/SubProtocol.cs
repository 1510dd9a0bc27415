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
    public static readonly SubProtocol Json = new JsonForm();

    /// <summary>Binary messages: the same in protobuf.</summary>
    public static readonly SubProtocol Proto = new ProtoForm("ws.proto");

    /// <summary>The same messages beside shared memory, on a connection that is no WebSocket.</summary>
    public static readonly SubProtocol SharedMemory = new ProtoForm("shm");

    /// <summary>The name that clients offer.</summary>
    public abstract string Name { get; }

    /// <summary>The transport's name in tables and logs.</summary>
    public abstract string Transport { get; }

    /// <summary>How it carries a frame.</summary>
    public abstract MessageForm Form { get; }

    /// <summary>Text or binary.</summary>
    public abstract WebSocketMessageType MessageType { get; }

    /// <summary>The first of the client's offers that is supported; null where there is none.</summary>
    public static SubProtocol? Choose(IEnumerable<string> offered)
    {
        foreach (var name in offered)
        {
            if (name == Json.Name)
            {
                return Json;
            }

            if (name == Proto.Name)
            {
                return Proto;
            }
        }

        return null;
    }

    /// <summary>Parses a message of an agent.</summary>
    /// <exception cref="EncodingException">It is no such message.</exception>
    public abstract AgentMessage Read(ReadOnlySpan<byte> message);

    /// <summary>Writes anything but a frame.</summary>
    public abstract void Write(Event message, MessageBuffer output);

    private sealed class JsonForm : SubProtocol
    {
        public override string Name => "sc2bridge.v1.json";

        public override string Transport => "ws.json";

        public override MessageForm Form => MessageForm.Json;

        public override WebSocketMessageType MessageType => WebSocketMessageType.Text;

        public override AgentMessage Read(ReadOnlySpan<byte> message) => JsonReader.ReadAgentMessage(message);

        public override void Write(Event message, MessageBuffer output) => JsonWriter.Write(message, output);
    }

    private sealed class ProtoForm(string transport) : SubProtocol
    {
        public override string Name => "sc2bridge.v1.proto";

        public override string Transport => transport;

        public override MessageForm Form => MessageForm.Proto;

        public override WebSocketMessageType MessageType => WebSocketMessageType.Binary;

        // The library bounds the nesting at 100 by itself.
        public override AgentMessage Read(ReadOnlySpan<byte> message)
        {
            try
            {
                return AgentMessage.Parser.ParseFrom(message);
            }
            catch (InvalidProtocolBufferException invalid)
            {
                throw new EncodingException(
                    $"The {message.Length} bytes are no AgentMessage: {invalid.Message}", invalid);
            }
        }

        public override void Write(Event message, MessageBuffer output) => message.WriteTo(output);
    }
}
