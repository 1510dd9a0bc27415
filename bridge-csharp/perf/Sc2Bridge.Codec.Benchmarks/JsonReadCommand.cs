using System.CommandLine;
using System.Globalization;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;
using Text = System.Text.Encoding;

namespace Sc2Bridge.Codec.Benchmarks;

/// <summary>
/// The command <c>json-read</c>: what reading JSON costs, ours beside the library's, in turns: whole observations, and
/// what an agent says.
/// </summary>
internal static class JsonReadCommand
{
    // Said at once, so that they take long enough to be timed.
    private const int Answers = 200;

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
            DefaultValueFactory = _ => 20,
        };
        var json = new Option<FileInfo?>("--json") { Description = "A file that gets the results" };
        var command = new Command("json-read", "Reading JSON, beside JsonParser")
        {
            folder, harsh, count, rounds, json,
        };
        command.SetAction(async (parsed, ct) =>
        {
            var frames = parsed.GetValue(folder) is { } named ? MeasuredFrames.Load(named)
                : parsed.GetValue(harsh) ? HarshFrames.Make(parsed.GetValue(count), HarshFrames.Seed, ct)
                : SimulatedFrames.Make(parsed.GetValue(count), ct);
            var report = Measure(frames, parsed.GetValue(rounds), ct);
            Print(report);
            await ReportFile.WriteAsync(parsed.GetValue(json), report, ct);
        });
        return command;
    }

    private static Report Measure(MeasuredFrames frames, int rounds, CancellationToken ct)
    {
        var texts = frames.All.Select(
            frame => JsonFormatter.Default.Format(ResponseObservation.Parser.ParseFrom(frame))).ToArray();
        var utf8 = texts.Select(Text.UTF8.GetBytes).ToArray();
        var answer = JsonFormatter.Default.Format(Answer());
        var answerUtf8 = Text.UTF8.GetBytes(answer);
        var wire = MessageBuffer.Rent((int)frames.MeanLength * 2);
        (string Name, int Times, Action<int> Run)[] ways =
        [
            ("observation: ours, to the wire", texts.Length, i => Read(utf8[i], wire)),
            ("observation: ours, to a message", texts.Length, i =>
            {
                Read(utf8[i], wire);
                ResponseObservation.Parser.ParseFrom(wire.Written.Span);
            }),
            ("observation: JsonParser, from a string", texts.Length, i =>
                JsonParser.Default.Parse<ResponseObservation>(texts[i])),
            ("observation: JsonParser, from UTF-8", texts.Length, i =>
                JsonParser.Default.Parse<ResponseObservation>(Text.UTF8.GetString(utf8[i]))),
            ("an agent's answer: ours, to a message", Answers, _ => JsonReader.ReadAgentMessage(answerUtf8)),
            ("an agent's answer: JsonParser, from UTF-8", Answers, _ =>
                JsonParser.Default.Parse<AgentMessage>(Text.UTF8.GetString(answerUtf8))),
        ];
        var rows = WayTimes.InTurns(ways, rounds, ct);
        wire.Release();
        return new Report(
            Machine.Describe(),
            frames.Origin,
            frames.MeanLength,
            utf8.Average(text => text.Length),
            answerUtf8.Length,
            rows);
    }

    // Under lockstep, with the times of the step before.
    private static AgentMessage Answer() => new()
    {
        Acknowledge = new Acknowledgement
        {
            Step = 1200,
            Times =
            {
                new StepTimes
                {
                    Step = 1199,
                    ReceivedNs = 81234570000000,
                    DecodeNs = 1600000,
                    ThinkNs = 20500000,
                    Clock = ClockSource.Shared,
                },
            },
        },
    };

    private static void Read(byte[] text, MessageBuffer wire)
    {
        wire.Clear();
        JsonReader.Read(text, ResponseObservation.Descriptor, wire);
    }

    private static void Print(Report report)
    {
        Console.WriteLine(report.Machine.Text);

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"frames    {report.Frames}, {report.FrameBytes / 1024:0.0} KiB on average, {report.JsonBytes / 1024:0.0} "
            + $"as JSON; an agent's answer has {report.AnswerBytes} bytes of it"));
        Console.WriteLine();
        Console.WriteLine("| way | median µs | least | most | bytes allocated |");
        Console.WriteLine("| --- | --- | --- | --- | --- |");
        foreach (var row in report.Rows)
        {
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"| {row.Way} | {row.Ms.Median * 1000:0.0} | {row.Ms.Least * 1000:0.0} | {row.Ms.Most * 1000:0.0} "
                + $"| {row.AllocatedBytes:0} |"));
        }
    }

    /// <summary>Everything that was measured; the lengths are means.</summary>
    private sealed record Report(
        Machine Machine, string Frames, double FrameBytes, double JsonBytes, int AnswerBytes, WayTimes[] Rows);
}
