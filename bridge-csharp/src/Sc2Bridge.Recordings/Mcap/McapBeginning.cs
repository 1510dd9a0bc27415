namespace Sc2Bridge.Recordings.Mcap;

/// <summary>Reads the beginning of a file.</summary>
internal static class McapBeginning
{
    /// <summary>Reads the magic and the header.</summary>
    /// <returns>The header, and the position after it.</returns>
    /// <exception cref="McapException">The magic or the header is missing or incomplete.</exception>
    public static (Header Header, long End) Read(IRecordingBytes bytes)
    {
        var start = McapFormat.Magic.Length;
        var begin = new byte[(int)Math.Min(bytes.Length, start + McapFormat.RecordHeadLength)];
        bytes.Read(0, begin);
        if (!begin.AsSpan().StartsWith(McapFormat.Magic))
        {
            throw new McapException(begin.Length == 0 ? "the file is empty" : "this is not an MCAP file", 0,
                begin.Length == 0 ? "no observation was recorded, so record the match again" : "give a recording of sc2bridge");
        }

        if (begin.Length < start + McapFormat.RecordHeadLength)
        {
            throw McapException.Cut(begin.Length);
        }

        var head = RecordHead.Read(begin.AsSpan(start));
        if (head.Opcode != Opcode.Header)
        {
            throw new McapException("the first record is not a header", start);
        }

        if (head.ContentLength > McapLimits.Record)
        {
            throw McapLimits.TooLong("a header", head.ContentLength, McapLimits.Record, start);
        }

        if ((long)head.ContentLength > bytes.Length - begin.Length)
        {
            throw McapException.Cut(bytes.Length);
        }

        var content = new byte[(int)head.ContentLength];
        bytes.Read(begin.Length, content);
        return (RecordReader.Header(new RecordFields(content, begin.Length)), begin.Length + content.Length);
    }
}
