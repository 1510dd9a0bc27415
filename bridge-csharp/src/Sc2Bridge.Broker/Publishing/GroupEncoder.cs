using System.Collections.Concurrent;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>The frames of each perspective as agents get them that ask for group zstd.</summary>
/// <param name="shared">What agents share that ask for the same compression.</param>
internal sealed class GroupEncoder(SharedCompression shared) : IDisposable
{
    private readonly ConcurrentDictionary<uint, FrameMessages> _messages = new();

    /// <summary>A frame is offered, and its block made.</summary>
    internal void Offered(ObservationFrame frame) => Of(frame).OnOffered!(frame);

    /// <summary>The message of a frame.</summary>
    internal byte[] Encode(ObservationFrame frame, in Delivery delivery)
    {
        var messages = Of(frame);
        var body = messages.Encode(delivery).ToArray();
        messages.Written();
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

    private FrameMessages Of(ObservationFrame frame) => _messages.GetOrAdd(
        frame.Header.Perspective,
        static (_, shared) => FrameMessages.For(
            new SubscribeRequest { Compression = Compression.GroupZstd }, MessageForm.Proto, shared),
        shared);
}
