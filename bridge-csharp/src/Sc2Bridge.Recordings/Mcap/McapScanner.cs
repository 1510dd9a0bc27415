namespace Sc2Bridge.Recordings.Mcap;

/// <summary>
/// Finds what stands where in a file: from record to record, over chunks that the summary knows in one stride. So a
/// file that has no summary, or only half of one, is read like any other. A file that is cut off ends with its last
/// whole record.
/// </summary>
internal sealed class McapScanner
{
    private readonly ByteWindow _window;
    private readonly long _limit;
    private readonly bool _isClosed;
    private readonly Queue<ChunkIndex> _known;
    private readonly McapLayout _layout;
    private readonly LayoutBuilder _builder;
    private long _at;
    private bool _isBehindChunk;

    private McapScanner(IRecordingBytes bytes, Header header, long start, McapSummary? summary, IndexMemory memory)
    {
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
        _builder = new LayoutBuilder(_window, _layout, memory);
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
                _builder.Cut(_at);
                _layout.Problem ??= damage;
                _layout.End = _at;
                if (!_known.TryPeek(out var next))
                {
                    _layout.LostTail = _limit - _at;
                    return;
                }

                // It can be told where it goes on.
                var lost = (long)next.ChunkOffset - _at;
                _builder.AddDamage(_at, lost, damage);
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
            _builder.BeginChunk(new ChunkPlace(PlaceKind.Chunk, _at, (long)known.ChunkLength) { Index = known });
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
            _builder.AddToRun(head.Opcode, _at, content, length);
            return true;
        }

        _builder.EndRun(_at);
        switch (head.Opcode)
        {
            case Opcode.Chunk:
                _builder.BeginChunk(new ChunkPlace(PlaceKind.Chunk, _at, content + length - _at));
                break;
            case Opcode.MessageIndex:
                if (!_isBehindChunk || !_builder.AddIndex(_at, content, length))
                {
                    throw new McapException("a message index stands behind no chunk", _at);
                }

                break;
            case Opcode.Attachment or Opcode.Metadata:
                _builder.Keep(head.Opcode, _at, content, length);
                break;
            case Opcode.DataEnd:
                _builder.End(_at, content, length);
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
}
