using System.IO.Hashing;
using Google.Protobuf;

namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// An open file: its layout, all its channels, and the readers for its parts. Not thread-safe.
/// </summary>
internal sealed class McapFile : IDisposable
{
    private readonly ChunkLoader _loader;

    /// <summary>Opens a file.</summary>
    /// <param name="bytes">The file. It is disposed with this object, but not if the constructor throws.</param>
    /// <exception cref="McapException">The file is not an MCAP file, or nothing of it can be read.</exception>
    public McapFile(IRecordingBytes bytes)
    {
        Bytes = bytes;
        Layout = McapScanner.Scan(bytes);
        _loader = new ChunkLoader(bytes, Layout.Channels);
        Chunks = new ChunkStore(Layout.Regions, _loader);
        try
        {
            DeclareChannels();
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
    /// Parses the messages of a topic, in order. Empty if the topic does not exist.
    /// </summary>
    /// <exception cref="McapException">During the enumeration: the file is damaged.</exception>
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
            yield return Parse(parser, chunk.DataOf(message).Span, Layout.Regions[chunk.Region].Offset, "a message");
            cursor.Advance();
        }
    }

    /// <summary>The last message of a topic, from the last chunk that may contain such messages; null if that chunk contains none.</summary>
    /// <exception cref="McapException">That chunk is damaged.</exception>
    public T? Last<T>(string topic, MessageParser<T> parser)
        where T : class, IMessage<T>, new()
    {
        var channel = Layout.Channels.Find(topic);
        var region = channel is null ? -1 : Layout.Regions.FindLastIndex(region => region.MayContain(channel.Id));
        return region < 0 ? null : Chunks.ReadFrom(region, chunk => chunk.MessagesOf(channel!.Id) is [.., var last]
            ? Parse(parser, chunk.DataOf(last).Span, Layout.Regions[region].Offset, "a message")
            : null);
    }

    /// <summary>Parses an attachment; null if it does not exist.</summary>
    /// <exception cref="McapException">The attachment is damaged.</exception>
    public T? ParseAttachment<T>(string name, MessageParser<T> parser)
        where T : class, IMessage<T>, new()
    {
        var index = Layout.Attachments.Find(attachment => attachment.Name == name);
        return index is null
            ? null
            : Parse(parser, ReadAttachment(index).Data.Span, (long)index.Offset, $"attachment {name}");
    }

    /// <summary>Reads an attachment and checks its CRC.</summary>
    /// <exception cref="McapException">The attachment is damaged.</exception>
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
            : throw new McapException($"attachment {name} has the wrong CRC", (long)index.Offset);
    }

    /// <summary>Reads a metadata record.</summary>
    /// <exception cref="McapException">The record is damaged.</exception>
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

    /// <summary>Parses a message.</summary>
    /// <param name="parser">The message type's parser.</param>
    /// <param name="data">The message.</param>
    /// <param name="offset">The offset of the message's region, for errors.</param>
    /// <param name="what">The message's name in errors.</param>
    /// <exception cref="McapException">The message is malformed, or would take too much memory.</exception>
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
            throw new McapException($"{what} is not a valid {typeof(T).Name}", offset, innerException: malformed);
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

    // A summary declares every channel. Without a summary, the first chunk with messages of a channel declares the channel. If that chunk is
    // damaged, the metadata at the start of a recording still names the channels.
    private void DeclareChannels()
    {
        var damage = Layout.Regions.Count == 0 ? Layout.Problem : null;
        foreach (var (region, channels) in Layout.ChannelHints)
        {
            if (channels.Length > 0 && channels.All(Layout.Channels.Knows))
            {
                continue;
            }

            try
            {
                Chunks.Release(Chunks.Acquire(region));
            }
            catch (McapException found)
            {
                // Readers report the damage when they reach it.
                damage ??= found;
                DeclareFromMetadata();
            }
        }

        if (damage is not null && Layout.Channels.Channels.Count == 0)
        {
            const string remedy = "nothing in the file can be read, so record the match again";
            throw new McapException(damage.Message, damage.Offset, damage.Remedy ?? remedy, damage);
        }
    }

    private void DeclareFromMetadata()
    {
        try
        {
            if (Layout.Metadata.Find(metadata => metadata.Name == RecordingFormat.Topics) is { } topics)
            {
                TopicChannels.Declare(Layout.Channels, ReadMetadata(topics));
            }
        }
        catch (McapException)
        {
            // The metadata is damaged too, so these channels stay unknown.
        }
    }
}
