using System.Diagnostics;
using System.Text.Json;
using Google.Protobuf.Reflection;
using Sc2Bridge.Measuring;

namespace Sc2Bridge.Delivery.Benchmarks;

/// <summary>How the delivery benchmark runs.</summary>
/// <param name="Python">The interpreter of the clients.</param>
/// <param name="Rounds">How often each target is measured.</param>
/// <param name="Frames">Frames of a round at the rate, after the warm-up.</param>
/// <param name="RoundTrips">Lockstep round trips of a round, after the warm-up.</param>
/// <param name="Rate">Frames a second.</param>
internal sealed record DeliveryOptions(string Python, int Rounds, int Frames, int RoundTrips, double Rate);

/// <summary>What a target gave in one round.</summary>
internal sealed record DeliveryRound(double[] OneWayUs, double? RoundTripsPerSecond)
{
    /// <summary>The middle one way, in µs.</summary>
    public double P50 => Statistics.Quantile(OneWayUs, 0.50);

    /// <summary>What one in a hundred exceeds, in µs.</summary>
    public double P99 => Statistics.Quantile(OneWayUs, 0.99);
}

/// <summary>A target and its rounds, in their order.</summary>
internal sealed record DeliveryRow(string Name, string Client, string? Peer, List<DeliveryRound> Rounds);

/// <summary>What parsing costs after receipt.</summary>
internal sealed record ParseTimes(string Runtime, double P50Ms, double P99Ms);

/// <summary>Everything that was measured.</summary>
internal sealed record DeliveryReport(
    Machine Machine,
    DeliveryOptions Options,
    string Frames,
    double FrameBytes,
    List<DeliveryRow> Rows,
    ParseTimes? Parse);

/// <summary>Measures all targets in one run, a round of each in turn, so that what disturbs one disturbs all.</summary>
internal static class DeliveryBenchmark
{
    private const int WarmUp = 10;
    private const int LockstepWarmUp = 100;

    /// <summary>Runs the rounds.</summary>
    /// <exception cref="MeasuringException">A client failed or missed a frame.</exception>
    public static async Task<DeliveryReport> RunAsync(
        IReadOnlyList<IDeliveryTarget> targets,
        MeasuredFrames frames,
        DeliveryOptions options,
        Action<string> progress,
        CancellationToken ct)
    {
        var machine = Machine.Describe();
        var clients = new List<PythonClient>();
        try
        {
            var rows = new List<DeliveryRow>();
            foreach (var target in targets)
            {
                clients.Add(await PythonClient.StartAsync(options.Python, target.Transport, target.Address, ct));
                rows.Add(new DeliveryRow(target.Name, clients[^1].Description, target.Peer, []));
            }

            // The first round meets cold code and is not kept.
            for (var round = 0; round <= options.Rounds; round++)
            {
                progress(round == 0 ? "warming up" : $"round {round} of {options.Rounds}");
                for (var index = 0; index < targets.Count; index++)
                {
                    var measured = await MeasureAsync(targets[index], clients[index], options, ct);
                    if (round > 0)
                    {
                        rows[index].Rounds.Add(measured);
                    }
                }
            }

            return new DeliveryReport(
                machine, options, frames.Origin, frames.MeanLength, rows, await ParseAsync(frames, options.Python, ct));
        }
        finally
        {
            foreach (var client in clients)
            {
                await client.DisposeAsync();
            }
        }
    }

    private static async Task<DeliveryRound> MeasureAsync(
        IDeliveryTarget target, PythonClient client, DeliveryOptions options, CancellationToken ct)
    {
        var paced = new Phase(Lockstep: false, WarmUp + options.Frames, options.Rate, Digests: false);
        var steady = await PhaseAsync(target, client, paced, WarmUp, ct);
        if (!target.HasLockstep)
        {
            return new DeliveryRound(steady.LatenciesUs, null);
        }

        var answered = new Phase(Lockstep: true, LockstepWarmUp + options.RoundTrips, Rate: 0, Digests: false);
        var lockstep = await PhaseAsync(target, client, answered, LockstepWarmUp, ct);
        return new DeliveryRound(steady.LatenciesUs, lockstep.RoundTripsPerSecond);
    }

    /// <summary>One phase of one target.</summary>
    /// <exception cref="MeasuringException">The client failed or missed a frame.</exception>
    public static async Task<ClientResult> PhaseAsync(
        IDeliveryTarget target, PythonClient client, Phase phase, int warmUp, CancellationToken ct)
    {
        using var abandon = CancellationTokenSource.CreateLinkedTokenSource(ct);
        var serving = target.ServeAsync(phase, abandon.Token);
        var receiving = client.ReceiveAsync(phase, warmUp, abandon.Token);
        // Whichever fails first says why; the other would wait for ever.
        if (await Task.WhenAny(serving, receiving) is { IsCompletedSuccessfully: false } failed)
        {
            await abandon.CancelAsync();
            await failed;
        }

        var result = await receiving;
        await serving;
        return result;
    }

    private static async Task<ParseTimes?> ParseAsync(MeasuredFrames frames, string python, CancellationToken ct)
    {
        var folder = Directory.CreateTempSubdirectory("sc2bridge-parse-").FullName;
        try
        {
            var descriptors = Path.Combine(folder, "descriptors.binpb");
            var root = SC2APIProtocol.ResponseObservation.Descriptor.File;
            await File.WriteAllBytesAsync(descriptors, DescriptorSet(root), ct);
            var files = new List<string> { descriptors };
            for (var index = 0; index < Math.Min(frames.Count, 16); index++)
            {
                files.Add(Path.Combine(folder, $"{index:00}.pb"));
                await File.WriteAllBytesAsync(files[^1], frames.Observation((ulong)index), ct);
            }

            using var process = PythonScript.Start(python, "parse_times.py", [.. files]);
            var output = process.StandardOutput.ReadToEndAsync(ct);
            var errors = process.StandardError.ReadToEndAsync(ct);
            await process.WaitForExitAsync(ct);
            if (process.ExitCode != 0)
            {
                throw new MeasuringException($"parse_times.py failed: {(await errors).TrimEnd().Split('\n')[^1]}");
            }

            using var json = JsonDocument.Parse(await output);
            double[] times =
                [.. json.RootElement.GetProperty("parse_ms").EnumerateArray().Select(time => time.GetDouble())];
            return new ParseTimes(
                json.RootElement.GetProperty("runtime").GetString()!,
                Statistics.Quantile(times, 0.50),
                Statistics.Quantile(times, 0.99));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    // Every file before those that import it, as pools want them.
    private static byte[] DescriptorSet(FileDescriptor root)
    {
        var set = new FileDescriptorSet();
        var seen = new HashSet<string>();
        Add(root);
        return Google.Protobuf.MessageExtensions.ToByteArray(set);

        void Add(FileDescriptor file)
        {
            if (seen.Add(file.Name))
            {
                foreach (var dependency in file.Dependencies)
                {
                    Add(dependency);
                }

                set.File.Add(FileDescriptorProto.Parser.ParseFrom(file.SerializedData));
            }
        }
    }
}
