using System.Buffers;
using System.Globalization;
using System.Text.Json;
using Google.Protobuf;
using Sc2Bridge.Comparing.Running;
using Sc2Bridge.Measuring;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Comparing.Agents;

/// <summary>What one subscription heard, and when.</summary>
internal sealed class HeardFrames(HearOrder order, AgentMeter meter)
{
    // Who cannot keep up would hear what waits for it for minutes.
    private const long PatienceNs = 2_000_000_000;

    private long? _first;
    private (ulong Step, long ParsedNs)? _last;

    /// <summary>From the game's answer to the message being here.</summary>
    public List<double> HeldUs { get; } = [];

    /// <summary>The same to its being parsed.</summary>
    public List<double> ParsedUs { get; } = [];

    /// <summary>Parsing alone.</summary>
    public List<double> DecodeUs { get; } = [];

    /// <summary>The messages' lengths.</summary>
    public List<long> Bytes { get; } = [];

    /// <summary>Steps that were not heard.</summary>
    public long Lost { get; private set; }

    /// <summary>Whether it has heard enough.</summary>
    public bool IsOver { get; private set; }

    private long CountedFrom => _first!.Value + (long)(order.WarmUpSeconds * 1e9);

    /// <summary>Takes a message of protobuf, all of it.</summary>
    /// <exception cref="MeasuringException">It is none of a bridge's.</exception>
    public void Take(ReadOnlySequence<byte> message)
    {
        var held = MonotonicClock.NowNs;
        if (!order.Parse)
        {
            Span<byte> head = stackalloc byte[FrameHead.LongestLength];
            var length = (int)Math.Min(message.Length, head.Length);
            message.Slice(0, length).CopyTo(head);
            if (FrameHead.TryRead(head[..length], out var step, out var arrived))
            {
                Note(held, held, step, arrived, message.Length);
            }
            else
            {
                Finish(null);
            }

            return;
        }

        var heard = Event.Parser.ParseFrom(message);
        if (heard.Frame is { } frame)
        {
            Note(held, MonotonicClock.NowNs, frame.Step, frame.ObservedNs, message.Length);
        }
        else
        {
            Finish(heard.Error?.Message);
        }
    }

    /// <summary>Takes a message of JSON, all of it.</summary>
    /// <exception cref="MeasuringException">It is none of a bridge's.</exception>
    public void TakeText(ReadOnlyMemory<byte> text)
    {
        var held = MonotonicClock.NowNs;
        if (!order.Parse)
        {
            var head = text.Span[..Math.Min(text.Length, FrameHead.LongestLength)];
            if (FrameHead.TryReadText(head, out var at, out var stamp))
            {
                Note(held, held, at, stamp, text.Length);
            }
            else
            {
                Finish(null);
            }

            return;
        }

        using var document = JsonDocument.Parse(text);
        if (!document.RootElement.TryGetProperty("frame", out var frame))
        {
            Finish(document.RootElement.TryGetProperty("error", out var error) ? error.ToString() : null);
            return;
        }

        var step = frame.TryGetProperty("step", out var number)
            ? ulong.Parse(number.GetString()!, CultureInfo.InvariantCulture)
            : 0;
        var arrived = long.Parse(frame.GetProperty("observedNs").GetString()!, CultureInfo.InvariantCulture);
        Note(held, MonotonicClock.NowNs, step, arrived, text.Length);
    }

    private void Note(long held, long parsed, ulong step, long arrived, long length)
    {
        _first ??= arrived;
        if (arrived >= CountedFrom)
        {
            if (_last is { } last)
            {
                Lost += (long)step - (long)last.Step - 1;
            }
            else
            {
                meter.Begin(parsed);
            }

            _last = (step, parsed);
            HeldUs.Add((held - arrived) / 1000.0);
            Bytes.Add(length);
            if (order.Parse)
            {
                ParsedUs.Add((parsed - arrived) / 1000.0);
                DecodeUs.Add((parsed - held) / 1000.0);
            }

            if (parsed - CountedFrom > (long)(order.Seconds * 1e9) + PatienceNs)
            {
                Finish(null);
            }
        }
    }

    private void Finish(string? error)
    {
        if (error is not null)
        {
            throw new MeasuringException(error);
        }

        if (_last is { } last)
        {
            meter.End(last.ParsedNs);
        }

        IsOver = true;
    }
}
