using System.Collections.Concurrent;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>Encodes the frames of each perspective in the same way as for agents with group zstd.</summary>
/// <param name="shared">The compression that subscribers with the same options share.</param>
internal sealed class GroupEncoder(SharedCompression shared) : IDisposable
{
    private readonly ConcurrentDictionary<uint, FrameMessages> _messages = new();

    /// <summary>Adds a frame to the compression group of its perspective. Called in the order in which the hub offers frames.</summary>
    internal void AddOffered(ObservationFrame frame) => MessagesFor(frame).OnOffered!(frame);

    /// <summary>Returns the encoded message of a frame.</summary>
    internal byte[] Encode(ObservationFrame frame, in Delivery delivery)
    {
        var messages = MessagesFor(frame);
        var body = messages.Encode(delivery).ToArray();
        messages.OnWritten();
        return body;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (var messages in _messages.Values)
        {
            messages.Dispose();
        }
    }

    private FrameMessages MessagesFor(ObservationFrame frame) => _messages.GetOrAdd(
        frame.Header.Perspective,
        static (_, shared) => FrameMessages.For(
            new SubscribeRequest { Compression = Compression.GroupZstd }, MessageForm.Proto, shared),
        shared);
}
