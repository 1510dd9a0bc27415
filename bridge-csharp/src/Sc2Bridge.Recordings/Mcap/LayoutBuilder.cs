namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Collects what a scanner finds, in the order of the file: chunks with the channels of their messages, runs of records outside of
/// chunks, attachments and metadata.
/// </summary>
/// <param name="window">The file's bytes.</param>
/// <param name="layout">Gets what is found.</param>
/// <param name="memory">Counts it.</param>
internal sealed class LayoutBuilder(ByteWindow window, McapLayout layout, IndexMemory memory)
{
    // Its channel, and the bytes of its list.
    private const int MessageIndexHead = sizeof(ushort) + sizeof(uint);

    // Of the messages in the last chunk, as its indexes tell.
    private readonly HashSet<ushort> _channels = [];
    private bool _isChunkOpen;
    private long _runStart = -1;

    public void BeginChunk(ChunkPlace chunk)
    {
        EndRun(chunk.Offset);
        EndChunk(chunk.Offset);
        layout.Places.Add(chunk);
        _isChunkOpen = true;
        if (chunk.Index is { } index)
        {
            _channels.UnionWith(index.MessageIndexOffsets.Keys);
        }
    }

    /// <summary>Adds a message index to the last chunk.</summary>
    /// <returns>False if it is too short to be one.</returns>
    /// <exception cref="McapException">Its list does not fill it.</exception>
    public bool AddIndex(long at, long content, long length)
    {
        if (length < MessageIndexHead)
        {
            return false;
        }

        // Another byte makes one of a chunk, whose messages would be missed.
        var index = new RecordFields(window.At(content, MessageIndexHead), content);
        _channels.Add(index.UInt16());
        return index.UInt32() == length - MessageIndexHead
            ? true
            : throw new McapException("the list of a message index does not fill it", at);
    }

    /// <summary>Adds a schema, a channel or a message outside of a chunk.</summary>
    /// <exception cref="McapException">It cannot be read.</exception>
    public void AddToRun(Opcode opcode, long at, long content, long length)
    {
        if (_runStart >= 0 && content + length - _runStart > McapLimits.Run)
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
                layout.Channels.Add(RecordReader.Schema(new RecordFields(Whole(at, content, length), content)), at);
                break;
            case Opcode.Channel:
                layout.Channels.Add(RecordReader.Channel(new RecordFields(Whole(at, content, length), content)), at);
                break;
            default:
                if (length < McapFormat.MessageHeadLength)
                {
                    throw new McapException($"no message has {length} bytes", at);
                }

                if (length - McapFormat.MessageHeadLength > McapLimits.Message)
                {
                    throw McapLimits.TooLong("a message", (ulong)(length - McapFormat.MessageHeadLength), McapLimits.Message, at);
                }

                break;
        }
    }

    public void EndRun(long at)
    {
        if (_runStart >= 0 && at > _runStart)
        {
            // All that is declared outside of chunks is known already.
            memory.Add(_runStart);
            layout.Places.Add(new ChunkPlace(PlaceKind.Run, _runStart, at - _runStart));
        }

        _runStart = -1;
    }

    /// <summary>Adds an attachment or metadata. Damage in it loses nothing else: the next record can still be found.</summary>
    public void Keep(Opcode opcode, long at, long content, long length)
    {
        try
        {
            if (opcode == Opcode.Attachment)
            {
                var attachment = Attachment(at, content, length);
                memory.Add(at, attachment.Name.Length + attachment.MediaType.Length);
                layout.Attachments.Add(attachment);
                return;
            }

            var name = new RecordFields(Whole(at, content, length), content).Text();
            memory.Add(at, name.Length);
            layout.Metadata.Add(new MetadataIndex((ulong)at, (ulong)(content + length - at), name));
        }
        catch (McapException damage) when (damage.Remedy is null)
        {
            memory.AddDamage(at);
            layout.Lost.Add((at, content + length - at, damage));
            layout.Problem ??= damage;
        }
    }

    /// <summary>The bytes from here on cannot be read.</summary>
    public void Cut(long at)
    {
        // Not all indexes of the last chunk may be there.
        _channels.Clear();
        EndRun(at);
        EndChunk(at);
    }

    public void AddDamage(long at, long length, McapException damage)
    {
        memory.AddDamage(at);
        layout.Places.Add(new ChunkPlace(PlaceKind.Damage, at, length) { Damage = damage });
    }

    /// <summary>The record that ends the data.</summary>
    public void End(long at, long content, long length)
    {
        layout.DataCrc = RecordReader.DataEnd(new RecordFields(Whole(at, content, length), content)).DataSectionCrc;
        layout.End = at;
        EndChunk(at);
    }

    // Behind a chunk's indexes.
    private void EndChunk(long at)
    {
        if (_isChunkOpen)
        {
            var place = layout.Places.Count - 1;
            if (layout.Places[place].Index is null)
            {
                // The summary's chunks are counted already.
                memory.Add(at, items: _channels.Count);
            }

            layout.Hints.Add((place, [.. _channels]));
        }

        _isChunkOpen = false;
        _channels.Clear();
    }

    private AttachmentIndex Attachment(long at, long content, long length)
    {
        const int mostHead = 8 << 10;
        if (length > McapLimits.Attachment)
        {
            throw McapLimits.TooLong("an attachment", (ulong)length, McapLimits.Attachment, at);
        }

        var fields = new RecordFields(window.At(content, (int)Math.Min(length, mostHead)), content);
        var (logTime, createTime, name, mediaType) = (fields.UInt64(), fields.UInt64(), fields.Text(), fields.Text());
        var size = fields.UInt64();
        if (size > (ulong)(length - fields.Position))
        {
            throw new McapException($"attachment {name} is longer than its record", at);
        }

        return new AttachmentIndex((ulong)at, (ulong)(content + length - at), logTime, createTime, size, name, mediaType);
    }

    private ReadOnlySpan<byte> Whole(long at, long content, long length) => length <= McapLimits.Record
        ? window.At(content, (int)length)
        : throw McapLimits.TooLong("a record", (ulong)length, McapLimits.Record, at);
}
