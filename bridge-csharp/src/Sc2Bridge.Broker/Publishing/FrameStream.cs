using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// The frames of a perspective as its stream's messages. What was left out is a gap, and a move of the playback is told though
/// its own frame was left out. Not thread-safe.
/// </summary>
/// <param name="perspective">The perspective.</param>
/// <param name="add">Gets the messages.</param>
internal sealed class FrameStream(uint perspective, Action<StreamMessage> add)
{
    private ulong _next;
    private ulong _dropped;
    private string? _lost;
    private PlaybackState? _jump;

    internal uint Perspective => perspective;

    /// <summary>Frames from here on are missing.</summary>
    internal void Lose(string why) => _lost = why;

    /// <summary>A frame is left out.</summary>
    internal void Drop(ObservationFrame frame, string why)
    {
        _dropped++;
        (_lost, _jump) = (why, frame.Jump ?? _jump);
    }

    /// <summary>The next frame that is published.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="body">As a subscriber is sent it.</param>
    /// <param name="timeMs">When it was observed.</param>
    /// <returns>The gap before it; null for none.</returns>
    internal Gap? Add(ObservationFrame frame, byte[] body, long timeMs)
    {
        var header = frame.Header;
        _jump = frame.Jump ?? _jump;
        var gap = Miss(header.Step, timeMs);
        if (_jump is not null)
        {
            add(new(MessageKind.Playback, 0, new PlayResponse { Playback = _jump }.ToByteArray()) { TimeMs = timeMs });
        }

        var block = PlayResponse.Parser.ParseFrom(body).Frame.Block;
        add(new(MessageKind.Frame, 0, body)
        {
            Step = (long)header.Step,
            Loop = header.GameLoop,
            Group = (long)block.Group,
            IsHead = block.Index == block.Earlier.Count,
            TimeMs = timeMs,
        });
        (_next, _dropped, _lost, _jump) = (header.Step + 1, 0, null, null);
        return gap;
    }

    /// <summary>The match has ended.</summary>
    /// <param name="end">The last message.</param>
    /// <param name="newest">The newest step that was observed; null for none.</param>
    /// <returns>The gap at the end; null for none.</returns>
    internal Gap? End(StreamMessage end, ulong? newest)
    {
        var gap = _lost is not null && newest is { } step ? Miss(step + 1, end.TimeMs) : null;
        add(end);
        return gap;
    }

    // The frames before a step that were not published; where the playback was moved, steps tell nothing of how many.
    private Gap? Miss(ulong step, long timeMs)
    {
        var steps = _jump is not null ? _dropped : step > _next ? step - _next : 0;
        if (steps == 0)
        {
            return null;
        }

        var gap = new Gap
        {
            Perspective = perspective,
            FirstStep = _next,
            Steps = steps,
            Reason = _lost ?? "they were not published to the broker in time",
        };
        add(new(MessageKind.Gap, 0, gap.ToByteArray()) { Step = (long)gap.FirstStep, Steps = (long)gap.Steps, TimeMs = timeMs });
        return gap;
    }
}
