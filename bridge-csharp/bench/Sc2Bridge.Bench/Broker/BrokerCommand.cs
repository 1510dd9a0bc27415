using System.Collections.Concurrent;
using System.CommandLine;
using System.Diagnostics;
using Sc2Bridge.Broker;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using static System.FormattableString;

namespace Sc2Bridge.Bench;

/// <summary>One phase: a number of matches, with readers of each or of the first only.</summary>
/// <param name="Matches">Number of matches.</param>
/// <param name="Readers">Readers of each match.</param>
/// <param name="Load">The machine's load at the end.</param>
/// <param name="Rate">Frames a second of a match that the broker confirmed.</param>
/// <param name="BrokerCpu">Processors that the broker kept busy. NaN if its process is unknown.</param>
/// <param name="OwnCpu">Processors that publishers and readers kept busy together.</param>
/// <param name="BrokerMiB">The broker's memory at the end.</param>
/// <param name="FrameBytes">The published size of a frame with its metadata.</param>
/// <param name="P50Us">Time from a frame's arrival at the bridge until a reader has it decompressed: the median.</param>
/// <param name="P99Us">The same time's 99th percentile.</param>
/// <param name="DirectP50Us">The time until a WebSocket subscriber of the same match has it, not decompressed: the median.</param>
/// <param name="DirectP99Us">The same time's 99th percentile.</param>
internal sealed record BrokerPhase(
    int Matches, int Readers, double Load, double Rate, double BrokerCpu, double OwnCpu, double BrokerMiB, double FrameBytes,
    double P50Us, double P99Us, double DirectP50Us, double DirectP99Us);

/// <summary>A figure's growth.</summary>
internal sealed record BrokerGrowth(string Figure, string With, LineFit Fit);

/// <summary>Reading a whole stored match: observations a second in each round.</summary>
internal sealed record StoredRead(long Observations, Spread Broker, Spread Recording);

/// <summary>Everything that was measured.</summary>
internal sealed record BrokerReport(
    Machine Machine, string Broker, string Recording, double Seconds, List<BrokerPhase> Phases, List<string> Failed,
    List<BrokerGrowth> Growth, StoredRead Stored);

/// <summary>The command <c>broker</c>: what matches and their readers cost a RabbitMQ broker.</summary>
internal static class BrokerCommand
{
    public const string Name = "broker";

    private const double Rate = 22.4;

    private static readonly TimeSpan _settle = TimeSpan.FromSeconds(5);

    public static Command Create()
    {
        var url = new Option<string>("--url") { HelpName = "URL", Description = "the broker, one that has nothing else to do", Required = true };
        var pid = BenchCommand.Number("--pid", "the broker's process (beam.smp), if it is on this machine; 0: unknown", 0);
        var recording = OptionKinds.Text("--recording", null, "FILE", "what is published, over and over");
        recording.Required = true;
        var from = BenchCommand.Number("--from", "the game loop of the recording to begin at", 0u);
        var matches = Numbers("--matches", "phases with so many matches, each with a reader", [1, 10, 50, 100, 200]);
        var readers = Numbers("--readers", "phases with so many readers of one match", [1, 10, 50, 100, 200]);
        var seconds = BenchCommand.Number("--seconds", "how long a phase is measured", 20.0);
        var rounds = BenchCommand.Number("--rounds", "rounds over the whole recording, to read it stored", 3);
        return BenchCommand.Create(
            Name,
            "Matches at 22.4 steps a second and their readers, through a RabbitMQ broker and without one.",
            [url, pid, recording, from, matches, readers, seconds, rounds],
            async (parsed, ct) =>
            {
                var load = new Load(
                    BrokerAddress.Parse(parsed.GetValue(url)!), parsed.GetValue(pid), parsed.GetValue(recording)!,
                    parsed.GetValue(from), TimeSpan.FromSeconds(parsed.GetValue(seconds)));
                var report = new BrokerReport(
                    Machine.Describe(), load.Broker.ToString(), Path.GetFileName(load.Recording), load.Time.TotalSeconds, [], [], [],
                    await StoredAsync(load, parsed.GetValue(rounds), ct));
                foreach (var (count, each) in parsed.GetValue(matches)!.Select(count => (count, 1))
                    .Concat(parsed.GetValue(readers)!.Select(each => (1, each))).Distinct())
                {
                    Console.Error.WriteLine($"{count} matches, {each} readers of each");
                    try
                    {
                        report.Phases.Add(await PhaseAsync(load, count, each, ct));
                    }
                    catch (GameException failed) when (!ct.IsCancellationRequested)
                    {
                        // This is more than the broker can carry. Earlier results stay valid.
                        report.Failed.Add(Invariant($"{count} matches, {each} readers of each: {failed.Message}"));
                    }
                }

                report.Growth.AddRange(Growth("match", report.Phases.FindAll(one => one.Readers == 1), one => one.Matches));
                report.Growth.AddRange(Growth("reader", report.Phases.FindAll(one => one.Matches == 1), one => one.Readers));
                return report;
            },
            Print);
    }

    private static Option<int[]> Numbers(string name, string description, int[] usual) => new(name)
    {
        Description = $"{description} (default: {string.Join(' ', usual)})",
        DefaultValueFactory = _ => usual,
        AllowMultipleArgumentsPerToken = true,
    };

    private static async Task<BrokerPhase> PhaseAsync(Load load, int count, int readers, CancellationToken ct)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        await using var host = await BridgeHost.StartEmptyAsync(ct);
        var hubs = Enumerable.Range(1, count - 1).Select(_ => new Hub(new HubOptions())).Prepend(host.Hub).ToList();
        var options = new PlaybackOptions { Rate = StepRate.At(Rate), Repeats = true, From = load.From };
        var matches = hubs.ConvertAll(hub => new PublishedMatch(hub, load.Broker, load.Recording, options));

        // Start times are spread over one step, like those of matches that begin at random times.
        var playing = matches.Select((match, number) => Task.Run(
            () => match.PlayAsync(TimeSpan.FromSeconds(number / Rate / count), stop.Token), CancellationToken.None)).ToList();
        List<double> direct = [];
        var watching = SubscriberClient.RunAsync(
            $"ws://{host.WebAddress}/v1", isText: false,
            new SubscribeRequest { Policy = Policy.Every, Compression = Compression.GroupZstd },
            message =>
            {
                var now = MonotonicClock.NowNs;
                var told = PlayResponse.Parser.ParseFrom(message);
                if (told.Frame is { } frame)
                {
                    direct.Add((now - frame.ObservedNs) / 1e3);
                }

                return told.MatchEnd is null;
            },
            ct);
        while (matches.Exists(match => match.Publisher.Figures.Confirmed == 0))
        {
            await Task.Delay(100, ct);
        }

        // A few at a time, because starting a reader is expensive for the broker.
        ConcurrentBag<Task<List<double>>> reading = [];
        try
        {
            await Parallel.ForEachAsync(
                matches.SelectMany(match => Enumerable.Repeat(match, readers)),
                new ParallelOptions { MaxDegreeOfParallelism = 4, CancellationToken = ct },
                async (match, stopped) => reading.Add(match.ReadAsync(await match.OpenAsync(load.Broker, from: null, stopped), ct)));
        }
        catch
        {
            // A running match would disturb the next phase.
            await stop.CancelAsync();
            await Task.WhenAll(playing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw;
        }

        await Task.Delay(_settle, ct);
        var (broker, own, confirmed, began) = (load.Usage(), Environment.CpuUsage.TotalTime, Confirmed(), Stopwatch.GetTimestamp());
        var first = direct.Count;
        await Task.Delay(load.Time, ct);
        var took = Stopwatch.GetElapsedTime(began);
        var after = load.Usage();
        var (brokerCpu, ownCpu) = ((after.Cpu - broker.Cpu) / took, (Environment.CpuUsage.TotalTime - own) / took);
        var rate = (Confirmed() - confirmed) / took.TotalSeconds / count;
        var machine = Machine.Describe().LoadAtStart;
        await stop.CancelAsync();
        await Task.WhenAll(playing);
        var steps = (int)(took.TotalSeconds * Rate);

        // Only the last frames of each reader count, because a reader that started late first reads a backlog.
        var delays = (await Task.WhenAll(reading)).SelectMany(one => one.TakeLast(steps)).ToList();
        await watching;
        var figures = matches.ConvertAll(match => match.Publisher.Figures);
        foreach (var match in matches)
        {
            await match.DisposeAsync();
        }

        hubs.Skip(1).ToList().ForEach(hub => hub.Dispose());
        return new BrokerPhase(
            count, readers, machine, rate, brokerCpu, ownCpu, after.Bytes / 1048576.0,
            figures.Sum(one => one.Bytes) / (double)figures.Sum(one => one.Confirmed),
            Statistics.Median(delays), Statistics.Quantile(delays, 0.99),
            Statistics.Median(direct.Skip(first).Take(steps)), Statistics.Quantile(direct.Skip(first).Take(steps), 0.99));

        long Confirmed() => matches.Sum(match => match.Publisher.Figures.Confirmed);
    }

    // One match as stored at the broker, and as recorded locally.
    private static async Task<StoredRead> StoredAsync(Load load, int rounds, CancellationToken ct)
    {
        Console.Error.WriteLine("a stored match");
        using var hub = new Hub(new HubOptions());
        await using var match = new PublishedMatch(hub, load.Broker, load.Recording, new PlaybackOptions());
        await match.PlayAsync(TimeSpan.Zero, ct);
        List<double> broker = [], local = [];
        var observations = 0L;
        using var recording = RecordingReader.Open(load.Recording);
        for (var round = 0; round <= rounds; round++)
        {
            var relay = await match.OpenAsync(load.Broker, from: 0, ct);
            var began = Stopwatch.GetTimestamp();
            observations = (await match.ReadAsync(relay, ct)).Count;
            broker.Add(observations / Stopwatch.GetElapsedTime(began).TotalSeconds);
            began = Stopwatch.GetTimestamp();
            using var reader = recording.Observations();
            var read = 0L;
            for (; reader.Next(out var observation); read++)
            {
                observation.Copy().Release();
            }

            local.Add(read / Stopwatch.GetElapsedTime(began).TotalSeconds);
        }

        // The first round warms up.
        return new StoredRead(observations, Spread.Of(broker[1..]), Spread.Of(local[1..]));
    }

    private static IEnumerable<BrokerGrowth> Growth(string with, List<BrokerPhase> phases, Func<BrokerPhase, double> number)
    {
        (string Name, Func<BrokerPhase, double> Value)[] figures =
        [
            ("broker, processors", one => one.BrokerCpu),
            ("publishers and readers, processors", one => one.OwnCpu),
            ("broker, MiB", one => one.BrokerMiB),
            ("delay p50, ms", one => one.P50Us / 1e3),
            ("delay p99, ms", one => one.P99Us / 1e3),
        ];
        return figures.Where(_ => phases.Count > 1).Select(figure => new BrokerGrowth(
            figure.Name, with, LineFit.Of(phases.ConvertAll(one => (number(one), figure.Value(one))))));
    }

    private static void Print(Output output, BrokerReport report)
    {
        output.Facts(report.Machine.Facts());
        output.Line($"recording {report.Recording}, broker {report.Broker}");
        output.Table(
            Invariant($"matches at {Rate} steps a second; delay from the frame at the bridge to its reader, in ms"),
            report.Phases,
            ("matches", one => $"{one.Matches}"),
            ("readers of each", one => $"{one.Readers}"),
            ("load", one => Output.Fixed(one.Load, 1)),
            ("frames/s", one => Output.Fixed(one.Rate, 1)),
            ("broker CPU %", one => Output.Fixed(one.BrokerCpu * 100, 1)),
            ("own CPU %", one => Output.Fixed(one.OwnCpu * 100, 1)),
            ("broker MiB", one => Output.Whole(one.BrokerMiB)),
            ("bytes", one => Output.Whole(one.FrameBytes)),
            ("p50", one => Output.Fixed(one.P50Us / 1e3, 1)),
            ("p99", one => Output.Fixed(one.P99Us / 1e3, 1)),
            ("WebSocket p50", one => Output.Fixed(one.DirectP50Us / 1e3, 1)),
            ("p99", one => Output.Fixed(one.DirectP99Us / 1e3, 1)));
        report.Failed.ForEach(output.Line);
        output.Table(
            "growth: a line by least squares",
            report.Growth,
            ("figure", one => one.Figure),
            ("with each", one => one.With),
            ("at 0", one => Output.Fixed(one.Fit.At0, 3)),
            ("for each", one => Output.Fixed(one.Fit.ForEach, 4)),
            ("R²", one => Output.Fixed(one.Fit.R2, 3)));
        output.Table(
            "a stored match, observations a second; medians (least–most)",
            [report.Stored],
            ("observations", one => Output.Whole(one.Observations)),
            ("broker", one => Output.Spread(one.Broker)),
            ("recording", one => Output.Spread(one.Recording)));
    }

    private sealed record Load(BrokerAddress Broker, int Pid, string Recording, uint From, TimeSpan Time)
    {
        /// <summary>The broker's processor time so far and its current memory.</summary>
        public (TimeSpan Cpu, long Bytes) Usage()
        {
            if (Pid == 0)
            {
                return default;
            }

            using var process = Process.GetProcessById(Pid);
            return (process.TotalProcessorTime, process.WorkingSet64);
        }
    }
}
