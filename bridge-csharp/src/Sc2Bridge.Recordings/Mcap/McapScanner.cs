namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Finds what stands where in a file: from record to record, over chunks that the summary knows in one stride. So a
/// file that has no summary, or only half of one, is read like any other. A file that is cut off ends with its last
/// whole record.
/// </summary>
internal sealed class McapScanner
{
    // Its channel, and the bytes of its list.
    private const int MessageIndexHead = sizeof(ushort) + sizeof(uint);

    private readonly IRecordingBytes _bytes;
    private readonly ByteWindow _window;
    private readonly long _limit;
    private readonly bool _isClosed;
    private readonly Queue<ChunkIndex> _known;
    private readonly IndexMemory _memory;
    private readonly McapLayout _layout;

    // Of the messages in the last chunk, as its indexes tell.
    private readonly HashSet<ushort> _channels = [];
    private long _at;
    private bool _isBehindChunk;
    private bool _isChunkOpen;
    private long _runStart = -1;

    private McapScanner(IRecordingBytes bytes, Header header, long start, McapSummary? summary, IndexMemory memory)
    {
        _bytes = bytes;
        _memory = memory;
        _window = new ByteWindow(bytes);
        _at = start;
        _limit = summary?.DataLimit ?? bytes.Length;
        _isClosed = summary is not null;
        _known = new Queue<ChunkIndex>(summary?.Chunks ?? []);
        _layout = new McapLayout
        {
            Header = header,
            Channels = summary?.Channels ?? new ChannelTable(memory),
            Statistics = summary?.Statistics,
        };
    }

    /// <summary>Finds it.</summary>
    /// <exception cref="McapException">
    /// It is not an MCAP file, not even its first record is whole, or it takes too much memory.
    /// </exception>
    public static McapLayout Walk(IRecordingBytes bytes)
    {
        var (header, start) = McapBeginning.Read(bytes);
        McapSummary? summary = null;
        McapException? problem = null;
        var memory = new IndexMemory();
        try
        {
            summary = McapSummary.Read(bytes, memory);
        }
        catch (McapException damage) when (damage.Remedy is null)
        {
            problem = damage;
            memory = new IndexMemory();
        }

        var scanner = new McapScanner(bytes, header, start, summary, memory);
        scanner.Run();
        var found = scanner._layout.Attachments.ToHashSet();
        if (summary?.Attachments.Find(known => !found.Contains(known)) is { } lost)
        {
            problem = new McapException(
                $"attachment {lost.Name} is not where the summary tells of it", (long)lost.Offset);
        }

        scanner._layout.Problem ??= problem ?? (summary is null ? McapException.Cut(bytes.Length) : null);
        return scanner._layout;
    }

    private void Run()
    {
        while (true)
        {
            try
            {
                while (Next())
                {
                }

                return;
            }
            catch (McapException damage) when (damage.Remedy is null)
            {
                // Not all indexes of the last chunk may be there.
                _channels.Clear();
                EndRun();
                EndChunk();
                _layout.Problem ??= damage;
                _layout.End = _at;
                if (!_known.TryPeek(out var next))
                {
                    _layout.LostTail = _limit - _at;
                    return;
                }

                // It can be told where it goes on.
                _memory.AddDamage(_at);
                var lost = (long)next.ChunkOffset - _at;
                _layout.Places.Add(new ChunkPlace(PlaceKind.Damage, _at, lost) { Damage = damage });
                _at += lost;
            }
        }
    }

    // False at the end.
    private bool Next()
    {
        if (_known.TryPeek(out var known) && (long)known.ChunkOffset == _at)
        {
            _known.Dequeue();
            Begin(new ChunkPlace(PlaceKind.Chunk, _at, (long)known.ChunkLength) { Index = known });
            _channels.UnionWith(known.MessageIndexOffsets.Keys);
            _isBehindChunk = true;
            _at += (long)(known.ChunkLength + known.MessageIndexLength);
            return true;
        }

        if (_limit - _at < McapFormat.RecordHeadLength)
        {
            throw AtEnd();
        }

        var head = RecordHead.Read(_window.At(_at, McapFormat.RecordHeadLength));
        var content = _at + McapFormat.RecordHeadLength;
        if (head.Opcode == 0)
        {
            throw _isClosed ? new McapException("no record begins with 0", _at) : McapException.Cut(_at);
        }

        if (head.ContentLength > (ulong)(_limit - content))
        {
            throw AtEnd();
        }

        if (known is not null && content + (long)head.ContentLength > (long)known.ChunkOffset)
        {
            throw new McapException("a record reaches into the next chunk", _at);
        }

        var goesOn = Take(head, content, (long)head.ContentLength);
        _isBehindChunk = head.Opcode is Opcode.Chunk or Opcode.MessageIndex;
        _at = content + (long)head.ContentLength;
        return goesOn;
    }

    // Without an end of file it is cut off; with one something must be wrong here.
    private McapException AtEnd() =>
        _isClosed ? new McapException("the data does not end where it should", _at) : McapException.Cut(_at);

    private bool Take(RecordHead head, long content, long length)
    {
        if (head.Opcode is Opcode.Schema or Opcode.Channel or Opcode.Message)
        {
            AddToRun(head.Opcode, content, length);
            return true;
        }

        EndRun();
        switch (head.Opcode)
        {
            case Opcode.Chunk:
                Begin(new ChunkPlace(PlaceKind.Chunk, _at, content + length - _at));
                break;
            case Opcode.MessageIndex:
                if (!_isBehindChunk || length < MessageIndexHead)
                {
                    throw new McapException("a message index stands behind no chunk", _at);
                }

                // Another byte makes one of a chunk, whose messages would be missed.
                var index = new RecordFields(_window.At(content, MessageIndexHead), content);
                _channels.Add(index.UInt16());
                if (index.UInt32() != length - MessageIndexHead)
                {
                    throw new McapException("the list of a message index does not fill it", _at);
                }

                break;
            case Opcode.Attachment or Opcode.Metadata:
                Keep(head.Opcode, content, length);
                break;
            case Opcode.DataEnd:
                var end = RecordReader.DataEnd(new RecordFields(Whole(content, length), content));
                _layout.DataCrc = end.DataSectionCrc;
                _layout.End = _at;
                EndChunk();
                return EndOfData(content + length);
            default:
                if (!head.IsUnknown)
                {
                    throw new McapException($"a record {head.Opcode} does not belong into the data", _at);
                }

                break;
        }

        return true;
    }

    // The summary stands right behind it, or nothing where that was cut off.
    private bool EndOfData(long behind)
    {
        if (behind < _limit
            && (_isClosed
                || (Opcode)_window.At(behind, 1)[0] is Opcode.Message or Opcode.Chunk or Opcode.MessageIndex
                    or Opcode.Attachment or Opcode.Metadata or Opcode.DataEnd))
        {
            throw new McapException("the data ends before its time", _at);
        }

        return false;
    }

    private void Begin(ChunkPlace chunk)
    {
        EndRun();
        EndChunk();
        _layout.Places.Add(chunk);
        _isChunkOpen = true;
    }

    // Behind a chunk's indexes.
    private void EndChunk()
    {
        if (_isChunkOpen)
        {
            var place = _layout.Places.Count - 1;
            if (_layout.Places[place].Index is null)
            {
                // The summary's chunks are counted already.
                _memory.Add(_at, items: _channels.Count);
            }

            _layout.Hints.Add((place, [.. _channels]));
        }

        _isChunkOpen = false;
        _channels.Clear();
    }

    private void AddToRun(Opcode opcode, long content, long length)
    {
        if (_runStart >= 0 && content + length - _runStart > McapLimits.Run)
        {
            EndRun();
        }

        if (_runStart < 0)
        {
            EndChunk();
            _runStart = _at;
        }

        switch (opcode)
        {
            case Opcode.Schema:
                _layout.Channels.Add(RecordReader.Schema(new RecordFields(Whole(content, length), content)), _at);
                break;
            case Opcode.Channel:
                _layout.Channels.Add(RecordReader.Channel(new RecordFields(Whole(content, length), content)), _at);
                break;
            default:
                if (length < McapFormat.MessageHeadLength)
                {
                    throw new McapException($"no message has {length} bytes", _at);
                }

                if (length - McapFormat.MessageHeadLength > McapLimits.Message)
                {
                    throw McapLimits.TooLong("a message", (ulong)(length - McapFormat.MessageHeadLength), McapLimits.Message, _at);
                }

                break;
        }
    }

    private void EndRun()
    {
        if (_runStart >= 0 && _at > _runStart)
        {
            // All that is declared outside of chunks is known already.
            _memory.Add(_runStart);
            _layout.Places.Add(new ChunkPlace(PlaceKind.Run, _runStart, _at - _runStart));
        }

        _runStart = -1;
    }

    // Where it goes on behind one that is damaged is known: nothing else is lost with it.
    private void Keep(Opcode opcode, long content, long length)
    {
        try
        {
            if (opcode == Opcode.Attachment)
            {
                var attachment = Attachment(content, length);
                _memory.Add(_at, attachment.Name.Length + attachment.MediaType.Length);
                _layout.Attachments.Add(attachment);
                return;
            }

            var name = new RecordFields(Whole(content, length), content).Text();
            _memory.Add(_at, name.Length);
            _layout.Metadata.Add(new MetadataIndex((ulong)_at, (ulong)(content + length - _at), name));
        }
        catch (McapException damage) when (damage.Remedy is null)
        {
            _memory.AddDamage(_at);
            _layout.Lost.Add((_at, content + length - _at, damage));
            _layout.Problem ??= damage;
        }
    }

    private AttachmentIndex Attachment(long content, long length)
    {
        const int mostHead = 8 << 10;
        if (length > McapLimits.Attachment)
        {
            throw McapLimits.TooLong("an attachment", (ulong)length, McapLimits.Attachment, _at);
        }

        var fields = new RecordFields(_window.At(content, (int)Math.Min(length, mostHead)), content);
        var (logTime, createTime, name, mediaType) = (fields.UInt64(), fields.UInt64(), fields.Text(), fields.Text());
        var size = fields.UInt64();
        if (size > (ulong)(length - fields.Position))
        {
            throw new McapException($"attachment {name} is longer than its record", _at);
        }

        return new AttachmentIndex(
            (ulong)_at, (ulong)(content + length - _at), logTime, createTime, size, name, mediaType);
    }

    private ReadOnlySpan<byte> Whole(long content, long length) => length <= McapLimits.Record
        ? _window.At(content, (int)length)
        : throw McapLimits.TooLong("a record", (ulong)length, McapLimits.Record, _at);
}
