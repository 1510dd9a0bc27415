using System.Diagnostics;
using SC2APIProtocol;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench;

/// <summary>The size of one format's messages under one compression, on average over the measured steps.</summary>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Compression"><c>none</c> or a compressor's name.</param>
/// <param name="Steps">Measured steps.</param>
/// <param name="MinBytes">The smallest message.</param>
/// <param name="MeanBytes">The plain mean, which rates need.</param>
/// <param name="MaxBytes">The largest message.</param>
/// <param name="CompressMs">The 25 % trimmed mean of compressing. Null without compression.</param>
/// <param name="DecompressMs">The 25 % trimmed mean of decompressing. Null without compression.</param>
/// <param name="TimesFewer">The raw mean size divided by this one.</param>
/// <param name="PaysBelowMbit">
/// The link speed (10^6 bits a second) below which compressing delivers a message sooner. At this speed, sending the saved
/// bytes would take as long as compressing and decompressing. Null without compression, 0 if no bytes are saved.
/// </param>
internal sealed record SizeRow(
    string Format, string Compression, long Steps, double MinBytes, double MeanBytes, double MaxBytes, double? CompressMs,
    double? DecompressMs, double TimesFewer, double? PaysBelowMbit)
{
    /// <summary>Megabits (10^6) a second at 22.4 steps a second, the game's own pace.</summary>
    public double MbitAt22 => MeanBytes * 8 * Measurement.GameRate / 1e6;

    /// <summary>The link speed below which compressing pays.</summary>
    public static double PaysBelow(double savedBytes, double spentMs) =>
        savedBytes <= 0 ? 0 : savedBytes * 8 / (spentMs * 1000);
}

/// <summary>One format's message of each step.</summary>
/// <param name="Name"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Make">Makes the message from the serialized observation. It is valid until the next call.</param>
internal sealed record MessageFormat(string Name, Func<byte[], ReadOnlyMemory<byte>> Make)
{
    /// <summary>The formats that the bridge sends, made by its own code.</summary>
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

/// <summary>Measures the size of messages plain and under each compression.</summary>
internal static class SizeTable
{
    private const int WarmUps = 10;

    /// <summary>Compresses and decompresses every step's message, the compressors in turn.</summary>
    /// <param name="stride">A compressor that does not need every message gets one in this many.</param>
    /// <param name="steps">The steps.</param>
    public static IReadOnlyList<SizeRow> Measure(int stride, IEnumerable<MatchStep> steps)
    {
        var measured = MessageFormat.All().Select(format => (
            Format: format,
            Plain: new Samples(),
            Compressed: Compressor.All().Select(compressor => new CompressorSamples(compressor)).ToList())).ToList();
        foreach (var step in steps)
        {
            foreach (var (format, plain, compressed) in measured)
            {
                var message = format.Make(step.Observation);
                if (plain.Count == 0)
                {
                    compressed.ForEach(one => one.WarmUp(message));
                }

                plain.Add(message.Length);
                foreach (var one in compressed.Where(one => one.Remembers || plain.Count % stride == 1 % stride))
                {
                    one.Take(step, message);
                }
            }
        }

        return
        [
            .. measured.SelectMany(row => row.Compressed.Select(one => one.Row(row.Format.Name)).Prepend(new SizeRow(
                row.Format.Name, "none", row.Plain.Count, row.Plain.Min, row.Plain.Mean, row.Plain.Max, null, null, 1, null))),
        ];
    }

    private sealed class CompressorSamples(Compressor compressor)
    {
        private readonly Samples _raw = new();
        private readonly Samples _bytes = new();
        private readonly Samples _compressMs = new();
        private readonly Samples _decompressMs = new();
        private int _run = -1;

        public bool Remembers => compressor.Remembers;

        // The first steps are few, so the cost of compiling code would change their mean.
        public void WarmUp(ReadOnlyMemory<byte> message)
        {
            for (var turn = 0; turn < WarmUps; turn++)
            {
                compressor.Decompress(compressor.Compress(message), message.Length);
            }
        }

        public void Take(MatchStep step, ReadOnlyMemory<byte> message)
        {
            if (step.Run != _run)
            {
                compressor.Restart();
                _run = step.Run;
            }

            var started = Stopwatch.GetTimestamp();
            var compressed = compressor.Compress(message);
            _compressMs.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            _raw.Add(message.Length);
            _bytes.Add(compressed.Length);
            started = Stopwatch.GetTimestamp();
            var back = compressor.Decompress(compressed, message.Length);
            _decompressMs.Add(Stopwatch.GetElapsedTime(started).TotalMilliseconds);
            if (!back.Span.SequenceEqual(message.Span))
            {
                throw new CommandException($"{compressor.Name} did not give back step {step.Index}");
            }
        }

        public SizeRow Row(string format)
        {
            var (compress, decompress) = (_compressMs.TrimmedMean(), _decompressMs.TrimmedMean());
            return new SizeRow(
                format, compressor.Name, _bytes.Count, _bytes.Min, _bytes.Mean, _bytes.Max, compress, decompress,
                _raw.Mean / _bytes.Mean, SizeRow.PaysBelow(_raw.Mean - _bytes.Mean, compress + decompress));
        }
    }
}
