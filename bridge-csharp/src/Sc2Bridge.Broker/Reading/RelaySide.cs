using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Broker.Reading;

/// <summary>Reads the frames of one perspective of a published match.</summary>
internal sealed class RelaySide(RelayOptions options, V1.MatchDescription description, StreamReader reader) : IGameSource
{
    private GroupDecoder _decoder = new();
    private V1.PlaybackState? _jump;
    private bool _isGroupBroken;
    private bool _disposed;

    /// <inheritdoc/>
    public V1.MatchDescription Description => description;

    /// <inheritdoc/>
    [SuppressMessage("Naming", "CA1716", Justification = "The noun of bridge.proto.")]
    public V1.MatchEnd? End { get; private set; }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public async ValueTask<ObservationFrame?> NextAsync(CancellationToken cancellationToken)
    {
        while (End is null)
        {
            var (message, isAfterLoss) = await reader.ReadAsync(cancellationToken);
            if (isAfterLoss)
            {
                options.Warn($"frames before game loop {message.GameLoop} are lost: the broker has already deleted them");
                ResetDecoder();
            }

            try
            {
                if (HandleMessage(message) is { } frame)
                {
                    return frame;
                }
            }
            catch (Exception malformed) when (malformed is InvalidProtocolBufferException or EncodingException)
            {
                options.Warn($"the message at offset {message.Offset} cannot be read ({malformed.Message}): the rest of its group is skipped");
                _isGroupBroken = true;
            }
        }

        return null;
    }

    /// <inheritdoc/>
    public Task<Response> RequestAsync(uint perspective, Request request, CancellationToken ct) => throw RelaySource.NoGameError();

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (!Interlocked.Exchange(ref _disposed, true))
        {
            await reader.DisposeAsync();
            _decoder.Dispose();
        }
    }

    private ObservationFrame? HandleMessage(StreamMessage message)
    {
        switch (message.Kind)
        {
            case MessageKind.Gap:
                var gap = V1.Gap.Parser.ParseFrom(message.Body.Span);
                options.Warn(string.Create(
                    CultureInfo.InvariantCulture,
                    $"steps {gap.FirstStep} to {gap.FirstStep + gap.Steps - 1} are missing: {gap.Reason}"));
                return null;
            case MessageKind.Playback:
                _jump = V1.PlayResponse.Parser.ParseFrom(message.Body.Span).Playback;
                return null;
            case MessageKind.End:
                End = V1.MatchEnd.Parser.ParseFrom(message.Body.Span);
                (End.MatchId, End.NextFollows) = (description.MatchId, false);
                return null;
            case MessageKind.Frame when message.IsHead || !_isGroupBroken:
                return DecodeFrame(message);
            default:
                return null;
        }
    }

    private ObservationFrame? DecodeFrame(StreamMessage message)
    {
        if (message.IsHead && _isGroupBroken)
        {
            ResetDecoder();
        }

        if (V1.PlayResponse.Parser.ParseFrom(message.Body.Span).Frame is not { Block: { } block } read)
        {
            throw new EncodingException("it is not a block of a group");
        }

        var now = MonotonicClock.NowNs;
        var observation = _decoder.Decode(block).Span;
        if (read.GameLoop < options.From)
        {
            // The group of the first requested frame begins with earlier frames. These earlier frames are decoded, but not returned.
            return null;
        }

        var frame = ObservationFrame.Copy(observation, new FrameHeader(
            description.MatchId, description.Perspectives[0], read.Step, read.GameLoop, now, now));
        (frame.Jump, _jump) = (_jump, null);
        return frame;
    }

    private void ResetDecoder()
    {
        _decoder.Dispose();
        (_decoder, _isGroupBroken) = (new GroupDecoder(), false);
    }
}
