using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Tests.Payloads;

/// <summary>A subscriber that reads the bytes that its transport would send, and decodes them as a client does.</summary>
internal sealed class Listener : IDisposable
{
    private readonly Streaming.Subscription _subscription;
    private readonly FrameMessages _messages;
    private readonly MessageForm _form;
    private readonly GroupDecoder _decoder = new();
    private readonly ZstdDecompressor _zstd = new();

    public Listener(Hub hub, SharedCompression shared, MessageForm form, V1.SubscribeRequest request, bool inline = false)
    {
        _form = form;
        _messages = FrameMessages.For(request, form, shared);
        _subscription = hub.Subscribe(request, new SubscriberInfo("test", inline, OnOffered: _messages.OnOffered));
    }

    /// <summary>The bytes of the last message.</summary>
    public byte[] Message { get; private set; } = [];

    /// <summary>The next frame.</summary>
    public async ValueTask<(V1.Frame Frame, byte[] Content)?> NextAsync(CancellationToken ct)
    {
        var delivery = await _subscription.ReadAsync(ct);
        if (delivery.Frame is null)
        {
            Assert.True(delivery.IsLast);
            return null;
        }

        try
        {
            Message = _messages.Encode(delivery).ToArray();
        }
        finally
        {
            _messages.OnWritten();
            delivery.Release();
        }

        return Decode();
    }

    public void Acknowledge(ulong step) => _subscription.Acknowledge(new Acknowledgement { Step = step });

    public void Act(Actions actions) => _subscription.Act(actions);

    public void Dispose()
    {
        _subscription.Dispose();
        _messages.Dispose();
        _messages.Dispose();
        _decoder.Dispose();
        _zstd.Dispose();
    }

    private (V1.Frame Frame, byte[] Content) Decode()
    {
        var parsed = Parse().Frame;
        switch (parsed.PayloadCase)
        {
            case V1.Frame.PayloadOneofCase.Block:
                return (parsed, _decoder.Decode(parsed.Block).ToArray());
            case V1.Frame.PayloadOneofCase.Zstd:
                var output = MessageBuffer.Rent();
                _zstd.Decompress(parsed.Zstd.Span, GroupLimits.LongestContent, output);
                var content = output.Written.ToArray();
                output.Release();
                return (parsed, content);
            case V1.Frame.PayloadOneofCase.Columns:
                return (parsed, parsed.Columns.ToByteArray());
            default:
                return (parsed, parsed.Observation.ToByteArray());
        }
    }

    private V1.PlayResponse Parse()
    {
        if (_form == MessageForm.Json)
        {
            return JsonParser.Default.Parse<V1.PlayResponse>(System.Text.Encoding.UTF8.GetString(Message));
        }

        return V1.PlayResponse.Parser.ParseFrom(Message);
    }
}
