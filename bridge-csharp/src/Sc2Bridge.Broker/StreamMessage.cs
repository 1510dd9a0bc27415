using System.Globalization;
using System.Text;
using Google.Protobuf;
using RabbitMQ.Client;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Broker;

/// <summary>What a message of a stream is: the kinds of docs/reference/broker-streams.md, by the names there.</summary>
internal enum MessageKind : byte
{
    /// <summary>One of a later release: passed over.</summary>
    Unknown,

    /// <summary>Of the directory.</summary>
    Announcement,

    /// <summary>The match.</summary>
    Description,

    /// <summary>Of a perspective, where it is not the description's.</summary>
    GameInfo,

    /// <summary>An observation, as a block of its group.</summary>
    Frame,

    /// <summary>The frame behind it does not follow the one before.</summary>
    Playback,

    /// <summary>Frames that were not published.</summary>
    Gap,

    /// <summary>A row of the step log.</summary>
    Step,

    /// <summary>What somebody sent for a player.</summary>
    Action,

    /// <summary>Of the match.</summary>
    End,
}

/// <summary>A message of a stream.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Sequence">The publisher's number of it in its stream, from 0.</param>
/// <param name="Body">As its kind has it, decompressed or not.</param>
internal sealed record StreamMessage(MessageKind Kind, long Sequence, ReadOnlyMemory<byte> Body)
{
    private const string AppId = "sc2bridge";

    private static readonly string[] _kinds =
        ["", "announcement", "description", "game_info", "frame", "playback", "gap", "step", "action", "end"];

    /// <summary>Its place in its stream, as the broker counts; -1 of one that is to be published.</summary>
    internal long Offset { get; init; } = -1;

    /// <summary>The step, and for a gap the first that is missing.</summary>
    internal long Step { get; init; }

    /// <summary>The game loop.</summary>
    internal long Loop { get; init; }

    /// <summary>A frame's group.</summary>
    internal long Group { get; init; }

    /// <summary>Whether a frame needs none before it.</summary>
    internal bool IsHead { get; init; }

    /// <summary>When it was observed or made, in milliseconds since 1970.</summary>
    internal long TimeMs { get; init; }

    /// <summary>A gap's.</summary>
    internal long Steps { get; init; }

    /// <summary>A game info's.</summary>
    internal long Perspective { get; init; }

    /// <summary>Whether the body is one zstd frame.</summary>
    internal bool IsZstd { get; init; }

    /// <summary>Reads a delivery, which is outside bytes.</summary>
    /// <exception cref="BrokerException">It is none of ours.</exception>
    internal static StreamMessage Read(IReadOnlyBasicProperties properties, ReadOnlyMemory<byte> body)
    {
        var headers = properties.Headers;
        if (headers is null || Number("x-stream-offset", -1) is not (>= 0 and var offset))
        {
            throw new BrokerException("a message without a stream's offset: the queue is no stream");
        }

        if (!long.TryParse(properties.MessageId, NumberStyles.None, CultureInfo.InvariantCulture, out var sequence))
        {
            throw new BrokerException($"the message at offset {offset} has no publisher's number: sc2bridge did not publish it");
        }

        return new StreamMessage((MessageKind)Math.Max(0, Array.IndexOf(_kinds, properties.Type)), sequence, body)
        {
            Offset = offset,
            Step = Number("step"),
            Loop = Number("loop"),
            Group = Number("group"),
            IsHead = headers.TryGetValue("head", out var head) && head is true,
            TimeMs = Number("time"),
            Steps = Number("steps"),
            Perspective = Number("perspective"),
            IsZstd = properties.ContentEncoding == "zstd",
        };

        long Number(string name, long missing = 0) =>
            headers!.TryGetValue(name, out var value) && value is long or int or short or byte or sbyte or ushort or uint
                ? Convert.ToInt64(value, CultureInfo.InvariantCulture)
                : missing;
    }

    /// <summary>One whose body is a message, compressed.</summary>
    internal static StreamMessage Compressed(MessageKind kind, IMessage body)
    {
        using var zstd = new ZstdCompressor();
        return new StreamMessage(kind, 0, Made(output => zstd.Compress(body.ToByteArray(), output))) { IsZstd = true };
    }

    /// <summary>The body, decompressed.</summary>
    /// <param name="longest">Its most bytes.</param>
    /// <exception cref="EncodingException">It cannot be decompressed, or is longer.</exception>
    internal ReadOnlyMemory<byte> Decompressed(int longest)
    {
        if (!IsZstd)
        {
            return Body;
        }

        using var zstd = new ZstdDecompressor();
        return Made(output => zstd.Decompress(Body.Span, longest, output));
    }

    /// <summary>What goes with its body.</summary>
    internal BasicProperties Properties()
    {
        var headers = new Dictionary<string, object?>();
        void Add(string name, object value, params ReadOnlySpan<MessageKind> kinds)
        {
            if (kinds.Contains(Kind))
            {
                headers[name] = value;
            }
        }

        Add("step", Step, MessageKind.Frame, MessageKind.Gap, MessageKind.Step, MessageKind.Action, MessageKind.End);
        Add("loop", Loop, MessageKind.Frame, MessageKind.End);
        Add("group", Group, MessageKind.Frame);
        Add("head", IsHead, MessageKind.Frame);
        Add("steps", Steps, MessageKind.Gap);
        Add("perspective", Perspective, MessageKind.GameInfo);
        Add("time", TimeMs, MessageKind.Frame, MessageKind.Playback, MessageKind.Gap, MessageKind.End);
        return new BasicProperties
        {
            Type = _kinds[(int)Kind],
            MessageId = Sequence.ToString(CultureInfo.InvariantCulture),
            AppId = AppId,
            DeliveryMode = DeliveryModes.Persistent,
            ContentEncoding = IsZstd ? "zstd" : null,
            Headers = headers,
        };
    }

    /// <summary>Writes it to a file of ours.</summary>
    internal byte[] ToRecord(int stream)
    {
        using var record = new MemoryStream(Body.Length + 64);
        using var writer = new BinaryWriter(record, Encoding.UTF8);
        writer.Write(stream);
        writer.Write((byte)Kind);
        writer.Write(IsHead);
        writer.Write(IsZstd);
        foreach (var number in (ReadOnlySpan<long>)[Sequence, Step, Loop, Group, TimeMs, Steps, Perspective])
        {
            writer.Write(number);
        }

        writer.Write(Body.Span);
        return record.ToArray();
    }

    /// <summary>Reads what <see cref="ToRecord"/> wrote.</summary>
    internal static (int Stream, StreamMessage Message) FromRecord(byte[] record)
    {
        using var reader = new BinaryReader(new MemoryStream(record), Encoding.UTF8);
        var stream = reader.ReadInt32();
        var (kind, isHead, isZstd) = ((MessageKind)reader.ReadByte(), reader.ReadBoolean(), reader.ReadBoolean());
        var sequence = reader.ReadInt64();
        var message = new StreamMessage(kind, sequence, default)
        {
            IsHead = isHead,
            IsZstd = isZstd,
            Step = reader.ReadInt64(),
            Loop = reader.ReadInt64(),
            Group = reader.ReadInt64(),
            TimeMs = reader.ReadInt64(),
            Steps = reader.ReadInt64(),
            Perspective = reader.ReadInt64(),
        };
        return (stream, message with { Body = record.AsMemory((int)reader.BaseStream.Position) });
    }

    private static byte[] Made(Action<MessageBuffer> fill)
    {
        var output = MessageBuffer.Rent();
        try
        {
            fill(output);
            return output.Written.ToArray();
        }
        finally
        {
            output.Release();
        }
    }
}
