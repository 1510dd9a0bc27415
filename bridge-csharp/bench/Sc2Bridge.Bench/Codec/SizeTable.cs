using System.Diagnostics;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench;

/// <summary>What one format takes on a link under one compression, on average over the measured steps.</summary>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Compression"><c>none</c> or a compressor's name.</param>
/// <param name="Steps">Measured steps.</param>
/// <param name="MinBytes">The smallest message.</param>
/// <param name="MeanBytes">The plain mean, which rates need.</param>
/// <param name="MaxBytes">The largest message.</param>
/// <param name="CompressMs">The 25 % trimmed mean; null where nothing is compressed.</param>
/// <param name="DecompressMs">The same.</param>
/// <param name="TimesFewer">The raw mean over this one.</param>
/// <param name="PaysBelowMbit">
/// The link speed (10^6 bits a second) below which compressing gets a message to the reader sooner: at it, sending the
/// bytes that are saved takes as long as compressing and decompressing. Null where nothing is compressed; 0 where no
/// bytes are saved.
/// </param>
internal sealed record SizeRow(
    string Format,
    string Compression,
    long Steps,
    double MinBytes,
    double MeanBytes,
    double MaxBytes,
    double? CompressMs,
    double? DecompressMs,
    double TimesFewer,
    double? PaysBelowMbit)
{
    /// <summary>Megabits (10^6) a second at 16 steps a second.</summary>
    public double MbitAt16 => Mbit(16);

    /// <summary>The same at 22.4 steps a second, the game's own pace.</summary>
    public double MbitAt22 => Mbit(22.4);

    /// <summary>The link speed below which compressing pays.</summary>
    /// <param name="savedBytes">Bytes saved a message.</param>
    /// <param name="spentMs">Compressing and decompressing it.</param>
    /// <returns>10^6 bits a second; 0 where nothing is saved.</returns>
    public static double PaysBelow(double savedBytes, double spentMs) =>
        savedBytes <= 0 ? 0 : savedBytes * 8 / (spentMs * 1000);

    private double Mbit(double stepsPerSecond) => MeanBytes * 8 * stepsPerSecond / 1e6;
}

/// <summary>One format's message of each step.</summary>
/// <param name="Name"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Make">The message, from the serialized observation; good until the next.</param>
internal sealed record MessageFormat(string Name, Func<byte[], ReadOnlyMemory<byte>> Make)
{
    /// <summary>What the bridge sends, made by it.</summary>
    public static IReadOnlyList<MessageFormat> All()
    {
        var transcoder = new WireToJson(ResponseObservation.Descriptor);
        var text = MessageBuffer.Rent();
        return
        [
            new("protobuf", observation => observation),
            new("JSON", observation =>
            {
                text.Clear();
                transcoder.Write(observation, text);
                return text.Written;
            }),
        ];
    }
}

/// <summary>Measures what messages take on a link, as they are and under each compression.</summary>
internal static class SizeTable
{
    private const int WarmUps = 10;

    /// <summary>Compresses and decompresses every step's message, the compressors in turn.</summary>
    /// <param name="formats">What the messages are made of.</param>
    /// <param name="compressors">Makes the compressors, anew for each format: some remember.</param>
    /// <param name="stride">Those that do not remember take one step in so many.</param>
    /// <param name="steps">The steps, in their order.</param>
    /// <exception cref="CommandException">A compressor did not give back what it was given.</exception>
    public static IReadOnlyList<SizeRow> Measure(
        IReadOnlyList<MessageFormat> formats,
        Func<IReadOnlyList<Compressor>> compressors,
        int stride,
        IEnumerable<MatchStep> steps)
    {
        var measured = formats.Select(format => new MeasuredFormat(format, compressors(), stride)).ToArray();
        try
        {
            foreach (var step in steps)
            {
                foreach (var format in measured)
                {
                    format.Take(step);
                }
            }

            return [.. measured.SelectMany(format => format.Rows())];
        }
        finally
        {
            foreach (var format in measured)
            {
                format.Dispose();
            }
        }
    }

    private sealed class MeasuredFormat(MessageFormat format, IReadOnlyList<Compressor> compressors, int stride)
        : IDisposable
    {
        private readonly Samples _raw = new();
        private readonly CompressorSamples[] _compressed = [.. compressors.Select(_ => new CompressorSamples())];
        private int _run = -1;

        public void Take(MatchStep step)
        {
            var message = format.Make(step.Observation);
            if (_raw.Count == 0)
            {
                WarmUp(message);
            }

            _raw.Add(message.Length);
            foreach (var (compressor, samples) in compressors.Zip(_compressed))
            {
                if (!compressor.Remembers && _raw.Count % stride != 1 % stride)
                {
                    continue;
                }

                if (step.Run != _run)
                {
                    compressor.Restart();
                }

                var started = Stopwatch.GetTimestamp();
                var compressed = compressor.Compress(message);
                samples.CompressMs.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
                samples.Raw.Add(message.Length);
                samples.Bytes.Add(compressed.Length);
                started = Stopwatch.GetTimestamp();
                var back = compressor.Decompress(compressed, message.Length);
                samples.DecompressMs.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
                if (!back.Span.SequenceEqual(message.Span))
                {
                    throw new CommandException($"{compressor.Name} did not give back step {step.Index}");
                }
            }

            _run = step.Run;
        }

        // The first steps are few enough to be moved by what compiling costs.
        private void WarmUp(ReadOnlyMemory<byte> message)
        {
            for (var turn = 0; turn < WarmUps; turn++)
            {
                foreach (var compressor in compressors)
                {
                    compressor.Decompress(compressor.Compress(message), message.Length);
                }
            }
        }

        public IEnumerable<SizeRow> Rows()
        {
            yield return new SizeRow(
                format.Name, "none", _raw.Count, _raw.Min, _raw.Mean, _raw.Max, null, null, 1, null);
            foreach (var (compressor, samples) in compressors.Zip(_compressed))
            {
                var (compress, decompress) = (samples.CompressMs.TrimmedMean(), samples.DecompressMs.TrimmedMean());
                yield return new SizeRow(
                    format.Name,
                    compressor.Name,
                    samples.Bytes.Count,
                    samples.Bytes.Min,
                    samples.Bytes.Mean,
                    samples.Bytes.Max,
                    compress,
                    decompress,
                    samples.Raw.Mean / samples.Bytes.Mean,
                    SizeRow.PaysBelow(samples.Raw.Mean - samples.Bytes.Mean, compress + decompress));
            }
        }

        public void Dispose()
        {
            foreach (var compressor in compressors)
            {
                compressor.Dispose();
            }
        }
    }

    private sealed class CompressorSamples
    {
        public Samples Raw { get; } = new();

        public Samples Bytes { get; } = new();

        public Samples CompressMs { get; } = new();

        public Samples DecompressMs { get; } = new();
    }
}
