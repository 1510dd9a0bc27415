using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.Zstd;

namespace Sc2Bridge.Native;

/// <summary>The functions for recordings.</summary>
internal static unsafe partial class Exports
{
    private const int MostChunks = 1 << 20;
    private const int MostColumns = 128;

    [UnmanagedCallersOnly(EntryPoint = "sc2bridge_read_frames", CallConvs = [typeof(CallConvCdecl)])]
    public static int ReadFrames(
        RecordedFrames.Part* chunks, long chunkCount, RecordedFrames.Place* frames, long frameCount, ColumnTarget* columns, long columnCount,
        long rows, long targets) => Try(() =>
    {
        var parts = SpanOf(chunks, chunkCount, Math.Clamp(chunkCount, 0, MostChunks), "chunks");
        var places = StructsOf(frames, frameCount, Math.Clamp(frameCount, 0, int.MaxValue), "frames");
        var given = SpanOf(columns, columnCount, Math.Clamp(columnCount, 0, MostColumns), "columns");
        using var to = Columns((int)Math.Clamp(rows, 0, int.MaxValue), targets, given);
        var reader = new RecordedFrames(to, (int)rows);
        foreach (var place in places)
        {
            if (place.To < 0 || place.To >= targets)
            {
                throw Failure.Argument($"a frame goes to {place.To}: give 0 to {targets - 1}");
            }
        }

        using var zstd = new ZstdDecompressor();
        var first = 0;
        for (var number = 0; number < parts.Length; number++)
        {
            var part = parts[number];
            if (part.Wanted < 0 || part.Wanted > places.Length - first || (part.Data == 0 && part.Bytes > 0))
            {
                throw Failure.Argument($"chunk {number}: give its address, and at most the {places.Length - first} frames that are left");
            }

            reader.Read(part, number, places.Slice(first, part.Wanted), zstd);
            first += part.Wanted;
        }
    });

    private static ObservationRows Columns(int rows, long targets, ReadOnlySpan<ColumnTarget> columns)
    {
        try
        {
            return new ObservationRows(rows, targets, columns);
        }
        catch (ArgumentException wrong)
        {
            throw Failure.Argument(wrong.Message, wrong);
        }
    }
}
