using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Broker.Publishing;

/// <summary>
/// Turns the frames of a perspective into the messages of its stream. A gap message replaces dropped frames. A jump of the
/// playback is published even if the frame with the jump was dropped. Not thread-safe.
/// </summary>
/// <param name="perspective">The perspective.</param>
/// <param name="add">Called with each message.</param>
internal sealed class FrameStream(uint perspective, Action<StreamMessage> add)
{
    private ulong _nextStep;
    private ulong _droppedCount;
    private string? _lossReason;
    private PlaybackState? _jump;

    internal uint Perspective => perspective;

    /// <summary>Notes that the frames after the last published frame are missing.</summary>
    internal void MarkLost(string why) => _lossReason = why;

    /// <summary>Notes that a frame was dropped.</summary>
    internal void MarkDropped(ObservationFrame frame, string why)
    {
        _droppedCount++;
        (_lossReason, _jump) = (why, frame.Jump ?? _jump);
    }

    /// <summary>Publishes the next frame.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="body">The encoded frame, as agents with group zstd receive it.</param>
    /// <param name="timeMs">The time of the observation, in milliseconds since 1970.</param>
    /// <returns>The gap before the frame; null if no frame is missing.</returns>
    internal Gap? AddFrame(ObservationFrame frame, byte[] body, long timeMs)
    {
        var header = frame.Header;
        _jump = frame.Jump ?? _jump;
        var gap = AddGap(header.Step, timeMs);
        if (_jump is not null)
        {
            add(new(MessageKind.Playback, 0, new PlayResponse { Playback = _jump }.ToByteArray()) { TimeMs = timeMs });
        }

        var block = PlayResponse.Parser.ParseFrom(body).Frame.Block;
        add(new(MessageKind.Frame, 0, body)
        {
            Step = (long)header.Step,
            GameLoop = header.GameLoop,
            Group = (long)block.Group,
            IsHead = block.Index == block.Earlier.Count,
            TimeMs = timeMs,
        });
        (_nextStep, _droppedCount, _lossReason, _jump) = (header.Step + 1, 0, null, null);
        return gap;
    }

    /// <summary>Publishes the end of the match.</summary>
    /// <param name="end">The message with the end of the match.</param>
    /// <param name="newest">The newest observed step; null if no step was observed.</param>
    /// <returns>The gap before the end; null if no frame is missing.</returns>
    internal Gap? AddEnd(StreamMessage end, ulong? newest)
    {
        var gap = _lossReason is not null && newest is { } step ? AddGap(step + 1, end.TimeMs) : null;
        add(end);
        return gap;
    }

    // Publishes a gap for the missing frames before a step. After a jump of the playback, step numbers do not show how many frames
    // are missing, so the gap counts only the dropped frames.
    private Gap? AddGap(ulong step, long timeMs)
    {
        var steps = _jump is not null ? _droppedCount : step > _nextStep ? step - _nextStep : 0;
        if (steps == 0)
        {
            return null;
        }

        var gap = new Gap
        {
            Perspective = perspective,
            FirstStep = _nextStep,
            Steps = steps,
            Reason = _lossReason ?? "they were not published to the broker in time",
        };
        add(new(MessageKind.Gap, 0, gap.ToByteArray()) { Step = (long)gap.FirstStep, MissingSteps = (long)gap.Steps, TimeMs = timeMs });
        return gap;
    }
}
