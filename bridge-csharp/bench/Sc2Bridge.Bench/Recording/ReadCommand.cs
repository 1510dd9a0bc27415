using System.CommandLine;
using System.Diagnostics;
using Sc2Bridge.Recordings;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>Reading all; rates of each round.</summary>
internal sealed record ReadRow(long Observations, Spread PerSecond, Spread MegabytesPerSecond);

/// <summary>Seeks, each with reading the observation that it came to.</summary>
internal sealed record SeekRow(string Way, Distribution Us);

/// <summary>Everything that was measured.</summary>
internal sealed record ReadReport(
    Machine Machine, string Recording, long FileBytes, ReadRow Reading, List<SeekRow> Seeking);

/// <summary>The command <c>read</c>: reading all observations of a recording, and seeking.</summary>
internal static class ReadCommand
{
    public static Command Create()
    {
        var file = OptionKinds.Text(
            "--recording", null, "FILE", "what is read; else late steps of the simulated match, recorded first");
        var count = BenchCommand.Number("--count", "steps of the match, where no file is given", 1500);
        var rounds = BenchCommand.Number("--rounds", "rounds over the whole file, after one to warm up", 9);
        var seeks = BenchCommand.Number("--seeks", "how many random game loops are sought", 300);
        return BenchCommand.Create(
            "read",
            "Reading a recording from end to end, and seeking in it.",
            [file, count, rounds, seeks],
            async (parsed, ct) =>
            {
                var (named, steps) = (parsed.GetValue(file), parsed.GetValue(count));
                using var folder = new TemporaryFolder();
                var path = named ?? folder["late.mcap"];
                if (named is null)
                {
                    await SteppedMatch.RecordLateAsync(path, steps, ct);
                }

                return new ReadReport(
                    Machine.Describe(),
                    named is null ? SteppedMatch.DescribeLate(steps) : Path.GetFileName(path),
                    new FileInfo(path).Length,
                    ReadAll(path, parsed.GetValue(rounds), ct),
                    Seek(path, parsed.GetValue(seeks), ct));
            },
            Print);
    }

    // A frame holds a copy of its observation: so that is what reading costs.
    private static ReadRow ReadAll(string path, int rounds, CancellationToken ct)
    {
        using var recording = RecordingReader.Open(path);
        var seconds = new List<double>();
        var (observations, bytes) = (0L, 0L);
        for (var round = 0; round <= rounds; round++)
        {
            using var reader = recording.Observations();
            var start = Stopwatch.GetTimestamp();
            for (observations = bytes = 0; reader.Next(out var observation); observations++)
            {
                bytes += observation.Bytes.Length;
                observation.Copy().Release();
                ct.ThrowIfCancellationRequested();
            }

            if (round > 0)
            {
                seconds.Add(Stopwatch.GetElapsedTime(start).TotalSeconds);
            }
        }

        return new ReadRow(
            observations,
            Spread.Of(seconds.Select(time => observations / time)),
            Spread.Of(seconds.Select(time => bytes / time / 1e6)));
    }

    private static List<SeekRow> Seek(string path, int seeks, CancellationToken ct)
    {
        using var known = RecordingReader.Open(path);
        var perspective = known.Perspectives.First();
        using var reader = known.Observations(perspective);
        reader.SeekIndex(known.Count(perspective) - 1);
        var last = reader.Next(out var end) ? end.GameLoop : 0;
        var random = new Random(1);
        var loops = Enumerable.Range(0, seeks).Select(_ => (uint)random.NextInt64(last + 1)).ToList();
        return
        [
            Row("in a recording that is open", loop => To(reader, loop)),
            Row("opening included", loop =>
            {
                using var recording = RecordingReader.Open(path);
                using var first = recording.Observations(recording.Perspectives.First());
                To(first, loop);
            }),
        ];

        SeekRow Row(string name, Action<uint> seek) => new(name, Distribution.Of(loops.ConvertAll(loop =>
        {
            ct.ThrowIfCancellationRequested();
            var start = Stopwatch.GetTimestamp();
            seek(loop);
            return Stopwatch.GetElapsedTime(start).TotalMicroseconds;
        }))!);

        static void To(ObservationReader reader, uint loop)
        {
            reader.SeekLoop(loop);
            if (!reader.Next(out var found) || found.GameLoop < loop)
            {
                throw new CommandException($"loop {loop} was not found: the reader is broken");
            }
        }
    }

    private static void Print(Output output, ReadReport report)
    {
        output.Facts(report.Machine.Facts());
        output.Line(Invariant($"recording {report.Recording}, {report.FileBytes / 1e6:0.0} MB"));
        output.Table(
            "reading all, each copied as a frame holds it; medians (least–most)",
            [report.Reading],
            ("observations", row => Output.Whole(row.Observations)),
            ("observations a second", row => Output.Spread(row.PerSecond)),
            ("MB/s", row => Output.Spread(row.MegabytesPerSecond)));
        output.Table(
            "seeking a random game loop, and reading it",
            report.Seeking,
            ("way", row => row.Way),
            ("seeks", row => Output.Whole(row.Us.Count)),
            ("p50 ms", row => Output.Ms(row.Us.P50)),
            ("p99 ms", row => Output.Ms(row.Us.P99)),
            ("max ms", row => Output.Ms(row.Us.Max)));
    }
}
