using System.IO.Hashing;
using Google.Protobuf;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// A file that is open: what stands where in it, every channel known, and what reads it. Not thread-safe.
/// </summary>
internal sealed class McapFile : IDisposable
{
    private readonly ChunkLoader _loader;

    /// <summary>Opens it.</summary>
    /// <param name="bytes">The file; disposed with this, and the caller's where this fails.</param>
    /// <exception cref="McapException">It is no MCAP file, or nothing of it is whole.</exception>
    public McapFile(IRecordingBytes bytes)
    {
        Bytes = bytes;
        Layout = McapScanner.Walk(bytes);
        _loader = new ChunkLoader(bytes, Layout.Channels);
        Chunks = new ChunkStore(Layout.Places, _loader);
        try
        {
            Declare();
        }
        catch
        {
            _loader.Dispose();
            throw;
        }
    }

    public IRecordingBytes Bytes { get; }

    public McapLayout Layout { get; }

    public ChunkStore Chunks { get; }

    /// <summary>
    /// The serialized messages of a topic as what they are, in their order; none where there is no such.
    /// </summary>
    /// <exception cref="McapException">While they are read: the file is damaged.</exception>
    public IEnumerable<T> Messages<T>(string topic, MessageParser<T> parser)
        where T : IMessage<T>, new()
    {
        if (Layout.Channels.Find(topic) is not { } channel)
        {
            yield break;
        }

        using var cursor = new ChannelCursor(Chunks, channel.Id);
        while (cursor.Peek(out var message) is { } chunk)
        {
            yield return Parse(parser, chunk.DataOf(message).Span, Layout.Places[chunk.Place].Offset, "a message");
            cursor.Advance();
        }
    }

    /// <summary>The last message of a topic, where the file's last chunk has it.</summary>
    /// <exception cref="McapException">That chunk is damaged.</exception>
    public T? Last<T>(string topic, MessageParser<T> parser)
        where T : class, IMessage<T>, new()
    {
        var channel = Layout.Channels.Find(topic);
        var place = channel is null ? -1 : Layout.Places.FindLastIndex(place => place.MayHold(channel.Id));
        return place < 0 ? null : Chunks.With(place, chunk => chunk.Of(channel!.Id) is [.., var last]
            ? Parse(parser, chunk.DataOf(last).Span, Layout.Places[place].Offset, "a message")
            : null);
    }

    /// <summary>The serialized message of an attachment as what it is; null where there is no such.</summary>
    /// <exception cref="McapException">It is damaged.</exception>
    public T? Attached<T>(string name, MessageParser<T> parser)
        where T : class, IMessage<T>, new()
    {
        var index = Layout.Attachments.Find(attachment => attachment.Name == name);
        return index is null
            ? null
            : Parse(parser, ReadAttachment(index).Data.Span, (long)index.Offset, $"attachment {name}");
    }

    /// <summary>Reads an attachment whole, and checks its CRC.</summary>
    /// <exception cref="McapException">It is damaged.</exception>
    public Attachment ReadAttachment(AttachmentIndex index)
    {
        var content = ReadContent(index.Offset, index.Length, out var fields);
        var (logTime, createTime, name, mediaType) = (fields.UInt64(), fields.UInt64(), fields.Text(), fields.Text());
        var size = fields.UInt64();
        var start = fields.Position;
        fields.Take(size);
        var covered = fields.Position;
        var crc = fields.UInt32();
        return crc == 0 || Crc32.HashToUInt32(content.AsSpan(0, covered)) == crc
            ? new Attachment(logTime, createTime, name, mediaType, content.AsMemory(start, covered - start))
            : throw new McapException($"attachment {name} has another CRC than it should", (long)index.Offset);
    }

    /// <summary>Reads a metadata record.</summary>
    /// <exception cref="McapException">It is damaged.</exception>
    public Metadata ReadMetadata(MetadataIndex index)
    {
        ReadContent(index.Offset, index.Length, out var fields);
        return RecordReader.Metadata(fields);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _loader.Dispose();
        Bytes.Dispose();
    }

    /// <summary>A serialized message as what it is.</summary>
    /// <param name="parser">What it is.</param>
    /// <param name="data">The message.</param>
    /// <param name="offset">Of its place, for errors.</param>
    /// <param name="what">What it is called there.</param>
    /// <exception cref="McapException">It is something else, or takes too much memory.</exception>
    public static T Parse<T>(MessageParser<T> parser, ReadOnlySpan<byte> data, long offset, string what)
        where T : IMessage<T>, new()
    {
        ParsedSize.Check<T>(data, offset, what);
        try
        {
            return parser.ParseFrom(data);
        }
        catch (InvalidProtocolBufferException malformed)
        {
            throw new McapException($"{what} is no {typeof(T).Name}", offset, innerException: malformed);
        }
    }

    private byte[] ReadContent(ulong offset, ulong length, out RecordFields fields)
    {
        var content = new byte[length - McapFormat.RecordHeadLength];
        var start = (long)offset + McapFormat.RecordHeadLength;
        Bytes.Read(start, content);
        fields = new RecordFields(content, start);
        return content;
    }

    // A summary declares every channel; without one, the first chunk does that has it, and where that is damaged what
    // stands before it tells of those that recordings have.
    private void Declare()
    {
        var damage = Layout.Places.Count == 0 ? Layout.Problem : null;
        foreach (var (place, channels) in Layout.Hints)
        {
            if (channels.Length > 0 && channels.All(Layout.Channels.Knows))
            {
                continue;
            }

            try
            {
                Chunks.Release(Chunks.Take(place));
            }
            catch (McapException found)
            {
                // Readers tell of it when they come to it.
                damage ??= found;
                DeclareTold();
            }
        }

        if (damage is not null && Layout.Channels.Channels.Count == 0)
        {
            const string nothing = "nothing in the file can be read, so record the match again";
            throw new McapException(damage.Message, damage.Offset, damage.Remedy ?? nothing, damage);
        }
    }

    private void DeclareTold()
    {
        try
        {
            if (Layout.Metadata.Find(metadata => metadata.Name == RecordingFormat.Topics) is { } told)
            {
                TopicChannels.Declare(Layout.Channels, ReadMetadata(told));
            }
        }
        catch (McapException)
        {
            // It tells nothing then.
        }
    }
}
