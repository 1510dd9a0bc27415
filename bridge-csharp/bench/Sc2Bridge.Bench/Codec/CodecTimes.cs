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
    /// <summary>Of samples in milliseconds.</summary>
    public static Times Of(Samples samples) =>
        new(samples.Count, samples.Min, samples.TrimmedMean(), samples.Max);
}

/// <summary>How long one codec takes.</summary>
/// <param name="Language"><c>C#</c>, <c>Python</c> or <c>Node</c>.</param>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Library">Whose code, and where it matters which version.</param>
/// <param name="Write">Writing.</param>
/// <param name="Read">Reading.</param>
internal sealed record CodecRow(string Language, string Format, string Library, Times Write, Times Read);

/// <summary>Times every codec on every step, the codecs in turn, so that what disturbs one disturbs all.</summary>
internal static class CodecTimes
{
    /// <summary>Measures.</summary>
    /// <param name="codecs">What is timed.</param>
    /// <param name="warmUp">Observations that all codecs do before anything counts, so that compiling does not.</param>
    /// <param name="observations">Serialized <c>ResponseObservation</c>s.</param>
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
                // Each step begins with another codec: the first finds the caches as the making of the step left them.
                var codec = (first + turn) % codecs.Count;
                times[codec].Write.Add(Ms(codecs[codec].Write, subject));
                times[codec].Read.Add(Ms(codecs[codec].Read, subject));
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
