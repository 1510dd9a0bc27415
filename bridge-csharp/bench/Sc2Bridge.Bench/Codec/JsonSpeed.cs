using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Bench;

/// <summary>Our JSON beside the stock formatter on the same steps, in turns: medians of the turns' means.</summary>
/// <param name="StockMs"><c>JsonFormatter</c> from a parsed message to a string, with what its garbage costs.</param>
/// <param name="OursMs">From the wire to UTF-8.</param>
/// <param name="Times">How many times faster ours is.</param>
/// <param name="AllocatedBytes">What ours allocates a step; a 25 % trimmed mean, so that buffers that grow in a few
/// steps of a growing match do not count.</param>
internal sealed record JsonSpeed(double StockMs, double OursMs, double Times, double AllocatedBytes)
{
    /// <summary>Measures.</summary>
    /// <param name="turns">Observations in their order; first ours writes all of a turn, then the formatter.</param>
    /// <param name="reuse">Whether the text of units that did not change is taken over.</param>
    public static JsonSpeed Measure(IEnumerable<IReadOnlyList<byte[]>> turns, bool reuse)
    {
        using var transcoder = reuse
            ? MatchWriter.Create(ResponseObservation.Descriptor)
            : new WireToJson(ResponseObservation.Descriptor);
        // Two, as the last text is held while the next is written.
        MessageBuffer[] texts = [MessageBuffer.Rent(1 << 20), MessageBuffer.Rent(1 << 20)];
        var (stock, ours, allocated) = (new List<double>(), new List<double>(), new Samples());
        var written = 0;
        foreach (var observations in turns)
        {
            // They are there before anything is timed, as an observation is when it comes from the game.
            var messages = observations.Select(ResponseObservation.Parser.ParseFrom).ToList();
            if (written == 0)
            {
                // Lets both buffers grow too.
                WarmUp.Run(turn => Write(observations[turn % observations.Count]));
                WarmUp.Run(turn => JsonFormatter.Default.Format(messages[turn % messages.Count]));
            }

            ours.Add(observations.Average(Write));
            stock.Add(messages.Average(Format));
        }

        // It holds the last text.
        transcoder.Dispose();
        Array.ForEach(texts, text => text.Release());
        return new JsonSpeed(
            Statistics.Median(stock),
            Statistics.Median(ours),
            Statistics.Median(stock.Zip(ours, (theirs, own) => theirs / own)),
            allocated.TrimmedMean());

        double Write(byte[] observation)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            var text = texts[written++ % texts.Length];
            var started = Stopwatch.GetTimestamp();
            text.Clear();
            transcoder.Write(observation, text);
            var ms = Stopwatch.GetElapsedTime(started).TotalMilliseconds;
            allocated.Add(GC.GetAllocatedBytesForCurrentThread() - before);
            return ms;
        }

        static double Format(ResponseObservation message)
        {
            var started = Stopwatch.GetTimestamp();
            GC.KeepAlive(JsonFormatter.Default.Format(message));
            return Stopwatch.GetElapsedTime(started).TotalMilliseconds;
        }
    }
}
