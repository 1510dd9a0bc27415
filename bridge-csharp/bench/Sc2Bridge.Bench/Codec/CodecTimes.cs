using System.Diagnostics;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench;

/// <summary>Times of one operation over many steps, in milliseconds.</summary>
/// <param name="Steps">How many were timed.</param>
/// <param name="MinMs">The least.</param>
/// <param name="MeanMs">The 25 % trimmed mean: an eighth of the values is dropped at each end.</param>
/// <param name="MaxMs">The greatest.</param>
internal sealed record Times(long Steps, double MinMs, double MeanMs, double MaxMs)
{
    /// <summary>Null if there are no times.</summary>
    public static Times? Of(Samples samples) =>
        samples.Count == 0 ? null : new(samples.Count, samples.Min, samples.TrimmedMean(), samples.Max);
}

/// <summary>How long one codec takes.</summary>
/// <param name="Language"><c>C#</c>, <c>Python</c> or <c>Node</c>.</param>
/// <param name="Format"><c>protobuf</c>, <c>JSON</c> or <c>columns</c>.</param>
/// <param name="Library">The library, with its version if that matters.</param>
/// <param name="Write">Times of writing. Null if it only reads.</param>
/// <param name="Read">Times of reading. Null if it only writes.</param>
internal sealed record CodecRow(string Language, string Format, string Library, Times? Write, Times? Read);

/// <summary>Times every codec on every step. The codecs take turns, so that a disturbance affects all of them.</summary>
internal static class CodecTimes
{
    public static IReadOnlyList<CodecRow> Measure(
        IReadOnlyList<Codec> codecs, IEnumerable<byte[]> warmUp, IEnumerable<byte[]> observations)
    {
        Run(codecs, warmUp);
        var times = Run(codecs, observations);
        return [.. codecs.Zip(times, (codec, samples) =>
            new CodecRow("C#", codec.Format, codec.Library, Times.Of(samples.Write), Times.Of(samples.Read)))];
    }

    private static (Samples Write, Samples Read)[] Run(IReadOnlyList<Codec> codecs, IEnumerable<byte[]> observations)
    {
        var times = codecs.Select(_ => (Write: new Samples(), Read: new Samples())).ToArray();
        var subject = new Subject();
        var first = 0;
        foreach (var observation in observations)
        {
            subject.Take(observation);
            for (var turn = 0; turn < codecs.Count; turn++)
            {
                // Each step begins with another codec, because preparing the step affects the caches that the first one finds.
                var codec = (first + turn) % codecs.Count;
                times[codec].Write.Add(Ms(codecs[codec].Write, subject));
                if (codecs[codec].Read is { } read)
                {
                    times[codec].Read.Add(Ms(read, subject));
                }
            }

            first++;
        }

        return times;
    }

    private static double Ms(Action<Subject> operation, Subject subject)
    {
        var started = Stopwatch.GetTimestamp();
        operation(subject);
        return Stopwatch.GetElapsedTime(started).TotalMilliseconds;
    }
}
