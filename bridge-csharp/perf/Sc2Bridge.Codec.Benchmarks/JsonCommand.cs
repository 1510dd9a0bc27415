using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>One row of the table: a set of messages, written by one writer.</summary>
/// <param name="Messages">Which.</param>
/// <param name="Count">How many there are.</param>
/// <param name="Kib">Their mean size.</param>
/// <param name="JsonKib">Their mean text.</param>
/// <param name="Writer">What wrote them.</param>
/// <param name="Us">Microseconds a message, the mean over the set: median, least and most of the rounds.</param>
/// <param name="Times">How many times less than <c>JsonFormatter</c> in the same rounds, median of them.</param>
/// <param name="Allocated">Bytes allocated a message.</param>
internal sealed record JsonRow(
    string Messages, int Count, double Kib, double JsonKib, string Writer, Spread Us, double Times, double Allocated);

/// <summary>Everything that was measured.</summary>
internal sealed record JsonReport(Machine Machine, int Rounds, List<JsonRow> Rows);

/// <summary>
/// The command <c>json</c>: our JSON beside <c>JsonFormatter</c>, on single late frames, on real messages, along a
/// match with units born and dying, and along the harsh sequence.
/// </summary>
internal static class JsonCommand
{
    private const int Rotating = 60;

    public static Command Create()
    {
        var rounds = Option("--rounds", "Rounds in which every writer has its turn", 9);
        var frames = Option("--frames", "Frames of the match and of the harsh sequence", HarshFrames.Count);
        var real = new Option<DirectoryInfo?>("--real")
        {
            Description = "A folder of real ResponseObservations (observation.pb, also in folders below)",
        };
        var json = new Option<FileInfo?>("--json") { Description = "Write the raw results here" };
        var command = new Command("json", "Our JSON beside the library's")
        {
            rounds,
            frames,
            real,
            json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var machine = Machine.Describe();
            Console.WriteLine(machine.Text);

            Console.WriteLine();
            var report = new JsonReport(machine, parsed.GetValue(rounds), []);
            var count = parsed.GetValue(frames);
            Console.WriteLine("| messages | KiB | JSON KiB | writer | µs (least–most) | times | bytes allocated |");
            Console.WriteLine("| --- | --- | --- | --- | --- | --- | --- |");
            Measure(report, "frames in rotation", SimulatedFrames.Make(Rotating, ct).All, ct);
            if (parsed.GetValue(real) is { } folder)
            {
                Measure(report, "real messages", Real(folder), ct);
            }

            Measure(report, "match", SimulatedFrames.Late(count, ct).All, ct);
            Measure(report, "harsh sequence", HarshFrames.Make(count, HarshFrames.Seed, ct).All, ct);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
            return 0;
        });
        return command;
    }

    private static Option<int> Option(string name, string description, int usual) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => usual,
    };

    private static byte[][] Real(DirectoryInfo folder)
    {
        var files = folder.GetFiles("*observation.pb", SearchOption.AllDirectories)
            .OrderBy(file => file.FullName, StringComparer.Ordinal).ToArray();
        return files.Length > 0
            ? [.. files.Select(file => File.ReadAllBytes(file.FullName))]
            : throw new MeasuringException($"no observation.pb in {folder}: give --real the folder of real messages");
    }

    private static void Measure(JsonReport report, string name, IReadOnlyList<byte[]> messages, CancellationToken ct)
    {
        byte[][] all = [.. messages];
        JsonWriterUnderTest[] writers =
        [
            new StockWriter([.. messages.Select(ResponseObservation.Parser.ParseFrom)]),
            new WireWriter("ours", all, new WireToJson(ResponseObservation.Descriptor)),
            new WireWriter("ours, text reused", all, MatchWriter.Create(ResponseObservation.Descriptor)),
        ];
        foreach (var writer in writers)
        {
            writer.Pass(); // compiles what is measured
            writer.Pass();
        }

        var times = writers.Select(_ => new List<double>()).ToArray();
        var allocated = writers.Select(_ => new List<double>()).ToArray();
        for (var round = 0; round < report.Rounds; round++)
        {
            for (var turn = 0; turn < writers.Length; turn++)
            {
                ct.ThrowIfCancellationRequested();
                var index = (turn + round) % writers.Length;
                var before = GC.GetAllocatedBytesForCurrentThread();
                var started = Stopwatch.GetTimestamp();
                writers[index].Pass();
                times[index].Add(Stopwatch.GetElapsedTime(started).TotalMicroseconds / messages.Count);
                allocated[index].Add((double)(GC.GetAllocatedBytesForCurrentThread() - before) / messages.Count);
            }
        }

        for (var index = 0; index < writers.Length; index++)
        {
            var row = new JsonRow(
                name,
                messages.Count,
                messages.Average(message => message.Length) / 1024,
                writers[index].Characters / 1024.0 / messages.Count,
                writers[index].Name,
                Spread.Of(times[index]),
                Statistics.Median(times[0].Zip(times[index], (stock, own) => stock / own)),
                allocated[index].Min());
            report.Rows.Add(row);
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"| {row.Messages} ({row.Count}) | {row.Kib:0.0} | {row.JsonKib:0.0} | {row.Writer} | "
                + $"{row.Us.Median:0.0} ({row.Us.Least:0.0}–{row.Us.Most:0.0}) | {row.Times:0.0} | "
                + $"{row.Allocated:0} |"));
            writers[index].Dispose();
        }
    }

    private abstract class JsonWriterUnderTest(string name) : IDisposable
    {
        public string Name => name;

        /// <summary>The length of all texts in one pass.</summary>
        public long Characters { get; protected set; }

        /// <summary>Writes every message once.</summary>
        public abstract void Pass();

        public abstract void Dispose();
    }

    // From parsed messages to a string: parsing and UTF-8 are not counted against it.
    private sealed class StockWriter(ResponseObservation[] messages) : JsonWriterUnderTest("JsonFormatter")
    {
        public override void Pass()
        {
            Characters = 0;
            foreach (var message in messages)
            {
                Characters += JsonFormatter.Default.Format(message).Length;
            }
        }

        public override void Dispose()
        {
        }
    }

    // From the wire to UTF-8. Two buffers, as the last text may be held while the next is written.
    private sealed class WireWriter(string name, byte[][] messages, WireToJson transcoder) : JsonWriterUnderTest(name)
    {
        private readonly MessageBuffer[] _texts = [MessageBuffer.Rent(1 << 20), MessageBuffer.Rent(1 << 20)];
        private int _turn;

        public override void Pass()
        {
            Characters = 0;
            foreach (var message in messages)
            {
                var text = _texts[_turn++ & 1];
                text.Truncate(0);
                transcoder.Write(message, text);
                Characters += text.Length;
            }
        }

        public override void Dispose()
        {
            transcoder.Dispose();
            foreach (var text in _texts)
            {
                text.Release();
            }
        }
    }
}
