using System.Globalization;
using System.Text;
using Google.Protobuf;
using RabbitMQ.Client;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Broker;

/// <summary>The kinds of messages in a stream, with the names in docs/reference/broker-streams.md.</summary>
internal enum MessageKind : byte
{
    /// <summary>A kind that a later release defines. Readers ignore such messages.</summary>
    Unknown,

    /// <summary>An entry of the directory.</summary>
    Announcement,

    /// <summary>The match's description.</summary>
    Description,

    /// <summary>A perspective's game info, if it differs from the game info in the description.</summary>
    GameInfo,

    /// <summary>An observation, as a block of a compression group.</summary>
    Frame,

    /// <summary>A jump of the playback: the next frame does not follow the previous one.</summary>
    Playback,

    /// <summary>A range of frames that were not published.</summary>
    Gap,

    /// <summary>A row of the step log.</summary>
    Step,

    /// <summary>An action that was sent for a player.</summary>
    Action,

    /// <summary>The end of the match.</summary>
    End,
}

/// <summary>A message of a stream.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Sequence">The number of the message in its stream, from 0. The publisher assigns it.</param>
/// <param name="Body">The serialized message; see <see cref="IsZstd"/>.</param>
internal sealed record StreamMessage(MessageKind Kind, long Sequence, ReadOnlyMemory<byte> Body)
{
    private const string AppId = "sc2bridge";

    private static readonly string[] _kinds =
        ["", "announcement", "description", "game_info", "frame", "playback", "gap", "step", "action", "end"];

    /// <summary>The offset that the broker gave the message in the stream; -1 for a message that is not published yet.</summary>
    internal long Offset { get; init; } = -1;

    /// <summary>The step. For a gap: the first missing step.</summary>
    internal long Step { get; init; }

    /// <summary>The game loop.</summary>
    internal long GameLoop { get; init; }

    /// <summary>The number of a frame's compression group.</summary>
    internal long Group { get; init; }

    /// <summary>Whether a frame can be decoded without earlier frames.</summary>
    internal bool IsHead { get; init; }

    /// <summary>The time of the observation or of the message, in milliseconds since 1970.</summary>
    internal long TimeMs { get; init; }

    /// <summary>The number of missing steps of a gap.</summary>
    internal long MissingSteps { get; init; }

    /// <summary>The perspective of a game info.</summary>
    internal long Perspective { get; init; }

    /// <summary>Whether the body is compressed, as one zstd frame.</summary>
    internal bool IsZstd { get; init; }

    /// <summary>Makes a message from a delivery of the broker. The input is untrusted.</summary>
    /// <exception cref="BrokerException">The message is not from a stream, or not from sc2bridge.</exception>
    internal static StreamMessage FromDelivery(IReadOnlyBasicProperties properties, ReadOnlyMemory<byte> body)
    {
        var headers = properties.Headers;
        if (headers is null || Number("x-stream-offset", -1) is not (>= 0 and var offset))
        {
            throw new BrokerException("a message has no stream offset: the queue is not a stream; name another virtual host in the URL");
        }

        if (!long.TryParse(properties.MessageId, NumberStyles.None, CultureInfo.InvariantCulture, out var sequence))
        {
            throw new BrokerException($"the message at offset {offset} has no sequence number: another program than sc2bridge published it");
        }

        return new StreamMessage((MessageKind)Math.Max(0, Array.IndexOf(_kinds, properties.Type)), sequence, body)
        {
            Offset = offset,
            Step = Number("step"),
            GameLoop = Number("loop"),
            Group = Number("group"),
            IsHead = headers.TryGetValue("head", out var head) && head is true,
            TimeMs = Number("time"),
            MissingSteps = Number("steps"),
            Perspective = Number("perspective"),
            IsZstd = properties.ContentEncoding == "zstd",
        };

        long Number(string name, long defaultValue = 0) =>
            headers!.TryGetValue(name, out var value) && value is long or int or short or byte or sbyte or ushort or uint
                ? Convert.ToInt64(value, CultureInfo.InvariantCulture)
                : defaultValue;
    }

    /// <summary>Makes a message with a compressed body.</summary>
    internal static StreamMessage CreateCompressed(MessageKind kind, IMessage body)
    {
        using var zstd = new ZstdCompressor();
        return new StreamMessage(kind, 0, FillBuffer(output => zstd.Compress(body.ToByteArray(), output))) { IsZstd = true };
    }

    /// <summary>Decompresses the body, if it is compressed.</summary>
    /// <param name="longest">The maximum size of the decompressed body, in bytes.</param>
    /// <exception cref="EncodingException">The body cannot be decompressed, or is too long.</exception>
    internal ReadOnlyMemory<byte> Decompress(int longest)
    {
        if (!IsZstd)
        {
            return Body;
        }

        using var zstd = new ZstdDecompressor();
        return FillBuffer(output => zstd.Decompress(Body.Span, longest, output));
    }

    /// <summary>Makes the AMQP properties to publish the message with.</summary>
    internal BasicProperties ToProperties()
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
        Add("loop", GameLoop, MessageKind.Frame, MessageKind.End);
        Add("group", Group, MessageKind.Frame);
        Add("head", IsHead, MessageKind.Frame);
        Add("steps", MissingSteps, MessageKind.Gap);
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

    /// <summary>Serializes the message for the spool file.</summary>
    internal byte[] ToRecord(int stream)
    {
        using var record = new MemoryStream(Body.Length + 64);
        using var writer = new BinaryWriter(record, Encoding.UTF8);
        writer.Write(stream);
        writer.Write((byte)Kind);
        writer.Write(IsHead);
        writer.Write(IsZstd);
        foreach (var number in (ReadOnlySpan<long>)[Sequence, Step, GameLoop, Group, TimeMs, MissingSteps, Perspective])
        {
            writer.Write(number);
        }

        writer.Write(Body.Span);
        return record.ToArray();
    }

    /// <summary>Reads a record that <see cref="ToRecord"/> wrote.</summary>
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
            GameLoop = reader.ReadInt64(),
            Group = reader.ReadInt64(),
            TimeMs = reader.ReadInt64(),
            MissingSteps = reader.ReadInt64(),
            Perspective = reader.ReadInt64(),
        };
        return (stream, message with { Body = record.AsMemory((int)reader.BaseStream.Position) });
    }

    private static byte[] FillBuffer(Action<MessageBuffer> fill)
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
