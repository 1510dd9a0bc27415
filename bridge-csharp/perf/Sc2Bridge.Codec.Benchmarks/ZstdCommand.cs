using System.CommandLine;
using System.Globalization;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>
/// The command <c>zstd</c>: what frames are compressed to by groups, and what that costs, beside zstd and gzip of each
/// frame alone.
/// </summary>
internal static class ZstdCommand
{
    public static Command Create()
    {
        var folder = new Option<string?>("--frames")
        {
            Description = "A folder of serialized ResponseObservations; default: consecutive late steps of the match",
        };
        var harsh = new Option<bool>("--harsh") { Description = "The harsh sequence" };
        var first = new Option<int>("--first")
        {
            Description = "The game loop before the first step of the match",
            DefaultValueFactory = _ => SimulatedFrames.LateLoop,
        };
        var count = new Option<int>("--count")
        {
            Description = "How many frames, in their order",
            DefaultValueFactory = _ => HarshFrames.Count,
        };
        var rounds = new Option<int>("--rounds")
        {
            Description = "Rounds over all frames, after one to warm up; what the libraries need long for runs once",
            DefaultValueFactory = _ => 5,
        };
        var json = new Option<FileInfo?>("--json") { Description = "A file that gets the results" };
        var command = new Command("zstd", "Group zstd: sizes and times, beside zstd and gzip of each frame alone")
        {
            folder, harsh, first, count, rounds, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var frames = parsed.GetValue(folder) is { } named ? MeasuredFrames.Load(named)
                : parsed.GetValue(harsh) ? HarshFrames.Make(parsed.GetValue(count), HarshFrames.Seed, ct)
                : SimulatedFrames.Consecutive(parsed.GetValue(first), parsed.GetValue(count), ct);
            var report = Measure(frames, parsed.GetValue(rounds), ct);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
        });
        return command;
    }

    private static Report Measure(MeasuredFrames frames, int rounds, CancellationToken ct)
    {
        using var alone = new AloneWay();
        CompressionWay[] ways = [new GroupWay(), alone, new GzipWay()];
        var compress = ways.Select(_ => new List<double>()).ToArray();
        var decompress = ways.Select(_ => new List<double>()).ToArray();
        for (var round = 0; round <= rounds; round++)
        {
            for (var way = 0; way < ways.Length; way++)
            {
                ct.ThrowIfCancellationRequested();
                if (round > 1 && ways[way].IsSlow)
                {
                    continue;
                }

                var (compressing, decompressing) = ways[way].Run(frames.All);
                if (round > 0)
                {
                    compress[way].Add(compressing.TotalMilliseconds / frames.Count);
                    decompress[way].Add(decompressing.TotalMilliseconds / frames.Count);
                }
            }
        }

        return new Report(
            Machine.Describe(),
            frames.Origin,
            frames.MeanLength,
            [.. ways.Select((way, i) => new Row(
                way.Name,
                way.Bytes / (double)frames.Count,
                frames.MeanLength * frames.Count / way.Bytes,
                Spread.Of(compress[i]),
                Spread.Of(decompress[i])))]);
    }

    private static void Print(Report report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average"));
        Console.WriteLine();
        Console.WriteLine(
            "| compression | KiB a frame | times fewer | compress, ms (rounds) | decompress, ms (rounds) |");
        Console.WriteLine("| --- | --- | --- | --- | --- |");
        foreach (var row in report.Rows)
        {
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"| {row.Way} | {row.FrameBytes / 1024:0.00} | {row.TimesFewer:0.0} | {Text(row.CompressMs)} "
                + $"| {Text(row.DecompressMs)} |"));
        }
    }

    private static string Text(Spread ms) => string.Create(
        CultureInfo.InvariantCulture, $"{ms.Median:0.000} ({ms.Least:0.000}–{ms.Most:0.000})");

    /// <summary>One compression; the times are means over all frames of a round.</summary>
    private sealed record Row(
        string Way, double FrameBytes, double TimesFewer, Spread CompressMs, Spread DecompressMs);

    /// <summary>Everything that was measured.</summary>
    private sealed record Report(Machine Machine, string Frames, double FrameBytes, Row[] Rows);
}
