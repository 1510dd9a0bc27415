namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Collects a scanner's results in the order of the file: chunks with the channels of their messages, runs of records outside of chunks,
/// attachments and metadata.
/// </summary>
/// <param name="window">The file's bytes.</param>
/// <param name="layout">Gets the results.</param>
/// <param name="memory">Limits the memory of the results.</param>
internal sealed class LayoutBuilder(ByteWindow window, McapLayout layout, IndexMemory memory)
{
    // The size of the fields before a message index's list: the channel number and the list's length.
    private const int MessageIndexHead = sizeof(ushort) + sizeof(uint);

    // The channels of the messages in the last chunk, from its indexes.
    private readonly HashSet<ushort> _channels = [];
    private bool _isChunkOpen;
    private long _runStart = -1;

    public void BeginChunk(FileRegion chunk)
    {
        EndRun(chunk.Offset);
        EndChunk(chunk.Offset);
        layout.Regions.Add(chunk);
        _isChunkOpen = true;
        if (chunk.Index is { } index)
        {
            _channels.UnionWith(index.MessageIndexOffsets.Keys);
        }
    }

    /// <summary>Adds a message index to the last chunk.</summary>
    /// <returns>False if the record is too short for a message index.</returns>
    /// <exception cref="McapException">The length of the list does not match the record.</exception>
    public bool AddIndex(long at, long contentStart, long contentLength)
    {
        if (contentLength < MessageIndexHead)
        {
            return false;
        }

        // A chunk with a damaged opcode can look like a message index. Without this check, the chunk's messages would be missing without an error.
        var index = new RecordFields(window.ReadAt(contentStart, MessageIndexHead), contentStart);
        _channels.Add(index.UInt16());
        return index.UInt32() == contentLength - MessageIndexHead
            ? true
            : throw new McapException("the length of a message index's list does not match the record", at);
    }

    /// <summary>Adds a schema, a channel or a message outside of a chunk.</summary>
    /// <exception cref="McapException">The record cannot be read.</exception>
    public void AddToRun(Opcode opcode, long at, long contentStart, long contentLength)
    {
        if (_runStart >= 0 && contentStart + contentLength - _runStart > McapLimits.Run)
        {
            EndRun(at);
        }

        if (_runStart < 0)
        {
            EndChunk(at);
            _runStart = at;
        }

        switch (opcode)
        {
            case Opcode.Schema:
                layout.Channels.Add(RecordReader.Schema(new RecordFields(Whole(at, contentStart, contentLength), contentStart)), at);
                break;
            case Opcode.Channel:
                layout.Channels.Add(RecordReader.Channel(new RecordFields(Whole(at, contentStart, contentLength), contentStart)), at);
                break;
            default:
                if (contentLength < McapFormat.MessageHeadLength)
                {
                    throw new McapException($"a message record has only {contentLength} bytes", at);
                }

                if (contentLength - McapFormat.MessageHeadLength > McapLimits.Message)
                {
                    throw McapLimits.TooLong("a message", (ulong)(contentLength - McapFormat.MessageHeadLength), McapLimits.Message, at);
                }

                break;
        }
    }

    public void EndRun(long at)
    {
        if (_runStart >= 0 && at > _runStart)
        {
            // Declarations outside of chunks are read during the scan, so the run needs no channel hint.
            memory.Add(_runStart);
            layout.Regions.Add(new FileRegion(RegionKind.Run, _runStart, at - _runStart));
        }

        _runStart = -1;
    }

    /// <summary>Adds an attachment or metadata. If the record is damaged, lists it as lost. The scan can still find the next record.</summary>
    public void AddAttachmentOrMetadata(Opcode opcode, long at, long contentStart, long contentLength)
    {
        try
        {
            if (opcode == Opcode.Attachment)
            {
                var attachment = Attachment(at, contentStart, contentLength);
                memory.Add(at, attachment.Name.Length + attachment.MediaType.Length);
                layout.Attachments.Add(attachment);
                return;
            }

            var name = new RecordFields(Whole(at, contentStart, contentLength), contentStart).Text();
            memory.Add(at, name.Length);
            layout.Metadata.Add(new MetadataIndex((ulong)at, (ulong)(contentStart + contentLength - at), name));
        }
        catch (McapException damage) when (damage.Remedy is null)
        {
            memory.AddDamage(at);
            layout.LostRecords.Add((at, contentStart + contentLength - at, damage));
            layout.Problem ??= damage;
        }
    }

    /// <summary>Ends the open run of records and the open chunk, because the bytes from this position on cannot be read.</summary>
    public void StopAt(long at)
    {
        // Some indexes of the last chunk may be missing.
        _channels.Clear();
        EndRun(at);
        EndChunk(at);
    }

    public void AddDamage(long at, long length, McapException damage)
    {
        memory.AddDamage(at);
        layout.Regions.Add(new FileRegion(RegionKind.Damage, at, length) { Damage = damage });
    }

    /// <summary>Adds the record that ends the data.</summary>
    public void AddDataEnd(long at, long contentStart, long contentLength)
    {
        layout.DataCrc = RecordReader.DataEnd(new RecordFields(Whole(at, contentStart, contentLength), contentStart)).DataSectionCrc;
        layout.End = at;
        EndChunk(at);
    }

    // Called when no more message indexes of the open chunk follow.
    private void EndChunk(long at)
    {
        if (_isChunkOpen)
        {
            var region = layout.Regions.Count - 1;
            if (layout.Regions[region].Index is null)
            {
                // The memory of chunks that the summary lists was already counted.
                memory.Add(at, items: _channels.Count);
            }

            layout.ChannelHints.Add((region, [.. _channels]));
        }

        _isChunkOpen = false;
        _channels.Clear();
    }

    private AttachmentIndex Attachment(long at, long contentStart, long contentLength)
    {
        const int mostHead = 8 << 10;
        if (contentLength > McapLimits.Attachment)
        {
            throw McapLimits.TooLong("an attachment", (ulong)contentLength, McapLimits.Attachment, at);
        }

        var fields = new RecordFields(window.ReadAt(contentStart, (int)Math.Min(contentLength, mostHead)), contentStart);
        var (logTime, createTime, name, mediaType) = (fields.UInt64(), fields.UInt64(), fields.Text(), fields.Text());
        var size = fields.UInt64();
        if (size > (ulong)(contentLength - fields.Position))
        {
            throw new McapException($"attachment {name} is longer than its record", at);
        }

        return new AttachmentIndex((ulong)at, (ulong)(contentStart + contentLength - at), logTime, createTime, size, name, mediaType);
    }

    private ReadOnlySpan<byte> Whole(long at, long contentStart, long contentLength) => contentLength <= McapLimits.Record
        ? window.ReadAt(contentStart, (int)contentLength)
        : throw McapLimits.TooLong("a record", (ulong)contentLength, McapLimits.Record, at);
}
