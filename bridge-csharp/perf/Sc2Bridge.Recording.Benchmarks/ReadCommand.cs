using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Recording.Benchmarks;

/// <summary>
/// The command <c>read</c>: reading all observations of a recording beside zstd decompressing its chunks and doing
/// nothing else, in turns; and seeking.
/// </summary>
internal static class ReadCommand
{
    private const string Bare = "zstd alone";

    public static Command Create()
    {
        var file = new Argument<FileInfo?>("file")
        {
            Description = "A recording; default: one of late steps of the simulated match, made first",
            DefaultValueFactory = _ => null,
        };
        var count = new Option<int>("--count")
        {
            Description = "How many steps of the match, where no file is given",
            DefaultValueFactory = _ => 1500,
        };
        var rounds = new Option<int>("--rounds")
        {
            Description = "Rounds in which every way reads the whole file, after one to warm up",
            DefaultValueFactory = _ => 9,
        };
        var seeks = new Option<int>("--seeks")
        {
            Description = "How many random game loops are sought",
            DefaultValueFactory = _ => 300,
        };
        var json = new Option<FileInfo?>("--json") { Description = "A file that gets the results" };
        var command = new Command("read", "Reading a recording, beside zstd alone; seeking")
        {
            file, count, rounds, seeks, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var named = parsed.GetValue(file)?.FullName;
            using var made = named is null ? TemporaryRecording.Make(parsed.GetValue(count), ct) : null;
            var path = named ?? made!.Path;
            var report = new Report(
                Machine.Describe(),
                made?.Origin ?? Path.GetFileName(path),
                new FileInfo(path).Length,
                ReadAll(path, parsed.GetValue(rounds), ct),
                Seek(path, parsed.GetValue(seeks), ct));
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
        });
        return command;
    }

    private static List<ReadRow> ReadAll(string path, int rounds, CancellationToken ct)
    {
        using var chunks = new BareChunks(path);
        using var recording = RecordingReader.Open(path);
        var (observations, bytes) = Count(recording, copies: false);
        (string Name, Action Run)[] ways =
        [
            (Bare, () => chunks.Decompress()),
            ("RecordingReader", () => Count(recording, copies: false)),
            ("RecordingReader, each copied for a frame", () => Count(recording, copies: true)),
        ];
        var seconds = ways.Select(_ => new List<double>()).ToArray();
        for (var round = 0; round <= rounds; round++)
        {
            for (var way = 0; way < ways.Length; way++)
            {
                ct.ThrowIfCancellationRequested();
                var start = Stopwatch.GetTimestamp();
                ways[way].Run();
                if (round > 0)
                {
                    seconds[way].Add(Stopwatch.GetElapsedTime(start).TotalSeconds);
                }
            }
        }

        return [.. ways.Select((way, i) => new ReadRow(
            way.Name,
            observations,
            Spread.Of([.. seconds[i].Select(time => observations / time)]),
            Spread.Of([.. seconds[i].Select(time => bytes / time / 1e6)]),
            Spread.Of([.. seconds[0].Zip(seconds[i], (bare, time) => bare / time)])))];
    }

    private static (long Observations, long Bytes) Count(RecordingReader recording, bool copies)
    {
        using var reader = recording.Observations();
        var (observations, bytes) = (0L, 0L);
        while (reader.Next(out var observation))
        {
            observations++;
            bytes += observation.Bytes.Length;
            if (copies)
            {
                observation.Copy().Release();
            }
        }

        return (observations, bytes);
    }

    private static List<SeekRow> Seek(string path, int seeks, CancellationToken ct)
    {
        uint last = 0;
        using var known = RecordingReader.Open(path);
        using var reader = known.Observations(known.Perspectives.First());
        reader.SeekIndex(known.Count(known.Perspectives.First()) - 1);
        if (reader.Next(out var end))
        {
            last = end.GameLoop;
        }

        var random = new Random(1);
        var loops = Enumerable.Range(0, seeks).Select(_ => (uint)random.NextInt64(last + 1)).ToList();
        var open = loops.Select(loop => Timed(() => To(reader, loop)));
        var fresh = loops.Select(loop => Timed(() =>
        {
            using var recording = RecordingReader.Open(path);
            using var first = recording.Observations(recording.Perspectives.First());
            To(first, loop);
        }));
        return [Row("in a recording that is open", open), Row("opening included", fresh)];

        double Timed(Action seek)
        {
            ct.ThrowIfCancellationRequested();
            var start = Stopwatch.GetTimestamp();
            seek();
            return Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }

        static void To(ObservationReader reader, uint loop)
        {
            reader.SeekLoop(loop);
            if (!reader.Next(out var found) || found.GameLoop < loop)
            {
                throw new MeasuringException($"loop {loop} was not found: the reader is broken");
            }
        }

        static SeekRow Row(string name, IEnumerable<double> times)
        {
            var ms = times.ToList();
            return new SeekRow(name, ms.Count, Statistics.Median(ms), Statistics.Quantile(ms, 0.99), ms.Max());
        }
    }

    private static void Print(Report report)
    {
        Console.WriteLine(report.Machine.Text);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"recording {report.Recording}, {report.FileBytes / 1e6:0.0} MB"));
        Console.WriteLine();
        Console.WriteLine("| way | observations | a second (rounds) | MB/s (rounds) | of zstd alone |");
        Console.WriteLine("| --- | --- | --- | --- | --- |");
        foreach (var row in report.Reading)
        {
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"| {row.Way} | {row.Observations} | {row.PerSecond.Median:0} ({row.PerSecond.Least:0}"
                + $"–{row.PerSecond.Most:0}) | {row.MegabytesPerSecond.Median:0} ({row.MegabytesPerSecond.Least:0}"
                + $"–{row.MegabytesPerSecond.Most:0}) | {row.OfBare.Median:0.00} |"));
        }

        Console.WriteLine();
        Console.WriteLine("| seek to a random game loop, and read | seeks | p50 ms | p99 ms | max ms |");
        Console.WriteLine("| --- | --- | --- | --- | --- |");
        foreach (var row in report.Seeking)
        {
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"| {row.Way} | {row.Seeks} | {row.P50Ms:0.00} | {row.P99Ms:0.00} | {row.MaxMs:0.00} |"));
        }
    }

    /// <summary>One way to read all; rates of each round, and its speed in times zstd's in the same round.</summary>
    private sealed record ReadRow(
        string Way, long Observations, Spread PerSecond, Spread MegabytesPerSecond, Spread OfBare);

    /// <summary>Seeks, each with reading the observation that it came to.</summary>
    private sealed record SeekRow(string Way, int Seeks, double P50Ms, double P99Ms, double MaxMs);

    /// <summary>Everything that was measured.</summary>
    private sealed record Report(
        Machine Machine, string Recording, long FileBytes, List<ReadRow> Reading, List<SeekRow> Seeking);
}
