namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Finds the parts of a file. It walks from record to record, so it can also read a file with a damaged summary or without a summary. It
/// skips chunks that the summary lists. A file that is cut off ends with its last complete record.
/// </summary>
internal sealed class McapScanner
{
    private readonly ByteWindow _window;
    private readonly long _dataLimit;
    private readonly bool _hasFooter;
    private readonly Queue<ChunkIndex> _listedChunks;
    private readonly McapLayout _layout;
    private readonly LayoutBuilder _builder;
    private long _at;
    private bool _isAfterChunk;

    private McapScanner(IRecordingBytes bytes, Header header, long start, McapSummary? summary, IndexMemory memory)
    {
        _window = new ByteWindow(bytes);
        _at = start;
        _dataLimit = summary?.DataLimit ?? bytes.Length;
        _hasFooter = summary is not null;
        _listedChunks = new Queue<ChunkIndex>(summary?.Chunks ?? []);
        _layout = new McapLayout
        {
            Header = header,
            Channels = summary?.Channels ?? new ChannelTable(memory),
            Statistics = summary?.Statistics,
        };
        _builder = new LayoutBuilder(_window, _layout, memory);
    }

    /// <summary>Scans a file.</summary>
    /// <exception cref="McapException">
    /// The file is not an MCAP file, its first record is incomplete, or its index takes too much memory.
    /// </exception>
    public static McapLayout Scan(IRecordingBytes bytes)
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
                $"attachment {lost.Name} is not at the position that the summary lists", (long)lost.Offset);
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
                while (ReadRecord())
                {
                }

                return;
            }
            catch (McapException damage) when (damage.Remedy is null)
            {
                _builder.StopAt(_at);
                _layout.Problem ??= damage;
                _layout.End = _at;
                if (!_listedChunks.TryPeek(out var next))
                {
                    _layout.LostTailBytes = _dataLimit - _at;
                    return;
                }

                // The scan continues at the next chunk of the summary.
                var lost = (long)next.ChunkOffset - _at;
                _builder.AddDamage(_at, lost, damage);
                _at += lost;
            }
        }
    }

    // Reads the next record. Returns false at the end of the data.
    private bool ReadRecord()
    {
        if (_listedChunks.TryPeek(out var known) && (long)known.ChunkOffset == _at)
        {
            _listedChunks.Dequeue();
            _builder.BeginChunk(new FileRegion(RegionKind.Chunk, _at, (long)known.ChunkLength) { Index = known });
            _isAfterChunk = true;
            _at += (long)(known.ChunkLength + known.MessageIndexLength);
            return true;
        }

        if (_dataLimit - _at < McapFormat.RecordHeadLength)
        {
            throw EndProblem();
        }

        var head = RecordHead.Read(_window.ReadAt(_at, McapFormat.RecordHeadLength));
        var content = _at + McapFormat.RecordHeadLength;
        if (head.Opcode == 0)
        {
            throw _hasFooter ? new McapException("a record has the invalid opcode 0", _at) : McapException.Cut(_at);
        }

        if (head.ContentLength > (ulong)(_dataLimit - content))
        {
            throw EndProblem();
        }

        if (known is not null && content + (long)head.ContentLength > (long)known.ChunkOffset)
        {
            throw new McapException("a record reaches into the next chunk", _at);
        }

        var hasMore = AddRecord(head, content, (long)head.ContentLength);
        _isAfterChunk = head.Opcode is Opcode.Chunk or Opcode.MessageIndex;
        _at = content + (long)head.ContentLength;
        return hasMore;
    }

    // The error for data that ends within a record. If the file has a footer, its data is damaged. Otherwise the file is cut off.
    private McapException EndProblem() =>
        _hasFooter ? new McapException("the data does not end where it should", _at) : McapException.Cut(_at);

    private bool AddRecord(RecordHead head, long content, long length)
    {
        if (head.Opcode is Opcode.Schema or Opcode.Channel or Opcode.Message)
        {
            _builder.AddToRun(head.Opcode, _at, content, length);
            return true;
        }

        _builder.EndRun(_at);
        switch (head.Opcode)
        {
            case Opcode.Chunk:
                _builder.BeginChunk(new FileRegion(RegionKind.Chunk, _at, content + length - _at));
                break;
            case Opcode.MessageIndex:
                if (!_isAfterChunk || !_builder.AddIndex(_at, content, length))
                {
                    throw new McapException("a message index does not follow a chunk", _at);
                }

                break;
            case Opcode.Attachment or Opcode.Metadata:
                _builder.AddAttachmentOrMetadata(head.Opcode, _at, content, length);
                break;
            case Opcode.DataEnd:
                _builder.AddDataEnd(_at, content, length);
                return CheckEndOfData(content + length);
            default:
                if (!head.IsUnknown)
                {
                    throw new McapException($"a record {head.Opcode} is not allowed in the data", _at);
                }

                break;
        }

        return true;
    }

    // The summary follows the end of the data. A file that was cut off may have no summary.
    private bool CheckEndOfData(long afterData)
    {
        if (afterData < _dataLimit
            && (_hasFooter
                || (Opcode)_window.ReadAt(afterData, 1)[0] is Opcode.Message or Opcode.Chunk or Opcode.MessageIndex
                    or Opcode.Attachment or Opcode.Metadata or Opcode.DataEnd))
        {
            throw new McapException("the data ends too early", _at);
        }

        return false;
    }
}
