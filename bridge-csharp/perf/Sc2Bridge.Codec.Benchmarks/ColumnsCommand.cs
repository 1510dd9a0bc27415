using System.CommandLine;
using System.Globalization;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Columns;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>
/// The command <c>columns</c>: what writing an observation as columns costs, beside what parsing it costs, in turns.
/// </summary>
internal static class ColumnsCommand
{
    public static Command Create()
    {
        var folder = new Option<string?>("--frames")
        {
            Description = "A folder of serialized ResponseObservations; default: the simulated match's, near 160 KiB",
        };
        var harsh = new Option<bool>("--harsh") { Description = "The harsh sequence" };
        var count = new Option<int>("--count")
        {
            Description = "How many different frames rotate",
            DefaultValueFactory = _ => 60,
        };
        var rounds = new Option<int>("--rounds")
        {
            Description = "Rounds over all frames, after as many as half of them to warm up",
            DefaultValueFactory = _ => 100,
        };
        var save = new Option<string?>("--save")
        {
            Description = "A folder that gets the frames and their columns, for the Python half of the measurement",
        };
        var json = new Option<FileInfo?>("--json") { Description = "A file that gets the results" };
        var command = new Command("columns", "Writing observations as columns, beside parsing them")
        {
            folder, harsh, count, rounds, save, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var frames = parsed.GetValue(folder) is { } named ? MeasuredFrames.Load(named)
                : parsed.GetValue(harsh) ? HarshFrames.Make(parsed.GetValue(count), HarshFrames.Seed, ct)
                : SimulatedFrames.Make(parsed.GetValue(count), ct);
            if (parsed.GetValue(save) is { } to)
            {
                Save(frames, to);
            }

            var report = Measure(frames, parsed.GetValue(rounds), ct);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
        });
        return command;
    }

    private static Report Measure(MeasuredFrames frames, int rounds, CancellationToken ct)
    {
        var units = frames.All.Average(
            frame => ResponseObservation.Parser.ParseFrom(frame).Observation.RawData.Units.Count);
        (string Name, int Times, Action<int> Run)[] ways =
        [
            ("columns, from the wire", frames.Count, i => Write(frames.All[i])),
            ("Google.Protobuf, parse", frames.Count, i => ResponseObservation.Parser.ParseFrom(frames.All[i])),
        ];
        return new Report(
            Machine.Describe(),
            frames.Origin,
            frames.MeanLength,
            units,
            frames.All.Average(Write),
            WayTimes.InTurns(ways, rounds, ct));
    }

    private static int Write(byte[] observation)
    {
        var columns = ColumnsWriter.Write(observation);
        var length = columns.Length;
        columns.Release();
        return length;
    }

    private static void Save(MeasuredFrames frames, string folder)
    {
        frames.Save(folder);
        for (var index = 0; index < frames.Count; index++)
        {
            var columns = ColumnsWriter.Write(frames.All[index]);
            File.WriteAllBytes(Path.Combine(folder, $"{index:0000}.columns"), columns.Written.Span);
            columns.Release();
        }
    }

    private static void Print(Report report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB and {report.Units:0} units on average, "
            + $"{report.ColumnsBytes / 1024:0.0} KiB as columns"));
        Console.WriteLine();
        Console.WriteLine("| way | median ms | least | most | bytes allocated |");
        Console.WriteLine("| --- | --- | --- | --- | --- |");
        foreach (var row in report.Rows)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {row.Way} | {row.Ms.Median:0.0000} | {row.Ms.Least:0.0000} | {row.Ms.Most:0.0000} "
                + $"| {row.AllocatedBytes:0} |"));
        }
    }

    /// <summary>Everything that was measured; the lengths and the units are means.</summary>
    private sealed record Report(
        Machine Machine, string Frames, double FrameBytes, double Units, double ColumnsBytes, WayTimes[] Rows);
}
