using System.Diagnostics;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Encoding.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Measuring.Goals;

/// <summary>Our JSON beside the stock formatter on the same steps.</summary>
/// <param name="StockMs"><c>JsonFormatter</c> from a parsed message to a string; 25 % trimmed mean.</param>
/// <param name="OursMs">From the wire to UTF-8; the same mean.</param>
/// <param name="AllocatedBytes">What ours allocates a step; the same mean, so that buffers that grow in a few steps of a
/// growing match do not count.</param>
public sealed record JsonSpeed(double StockMs, double OursMs, double AllocatedBytes)
{
    private const int WarmUps = 3;

    /// <summary>How many times faster ours is.</summary>
    public double Times => StockMs / OursMs;

    /// <summary>Measures; each is timed right after the other.</summary>
    /// <param name="steps">In their order.</param>
    /// <param name="reuse">Whether the text of units that did not change is taken over.</param>
    /// <param name="stride">The stock formatter does one step in so many; the means are over those.</param>
    public static JsonSpeed Measure(IEnumerable<MatchStep> steps, bool reuse, int stride)
    {
        ArgumentNullException.ThrowIfNull(steps);
        var units = ObservationRaw.Descriptor.FindFieldByNumber(ObservationRaw.UnitsFieldNumber);
        using var transcoder = new WireToJson(ResponseObservation.Descriptor, reuse ? units : null);
        // Two, as the last text is held while the next is written.
        MessageBuffer[] texts = [MessageBuffer.Rent(1 << 20), MessageBuffer.Rent(1 << 20)];
        var (stock, ours, allocated) = (new Samples(), new Samples(), new Samples());
        var place = 0;
        foreach (var step in steps)
        {
            if (place == 0)
            {
                // Compiles both, and lets both buffers grow.
                for (var turn = 0; turn < WarmUps * 8; turn++)
                {
                    Write(step.Observation, turn);
                    Format(ResponseObservation.Parser.ParseFrom(step.Observation));
                }
            }

            var before = GC.GetAllocatedBytesForCurrentThread();
            var ms = Write(step.Observation, place);
            allocated.Add(GC.GetAllocatedBytesForCurrentThread() - before);
            // Not the first of a run of steps: it finds no text to take over, and runs are as long as several strides.
            if (place % stride == stride / 4)
            {
                ours.Add(ms);
                stock.Add(Format(ResponseObservation.Parser.ParseFrom(step.Observation)));
            }

            place++;
        }

        transcoder.Dispose();
        Array.ForEach(texts, text => text.Release());
        return new JsonSpeed(stock.TrimmedMean(), ours.TrimmedMean(), allocated.TrimmedMean());

        double Write(byte[] observation, int turn)
        {
            var text = texts[turn % texts.Length];
            var started = Stopwatch.GetTimestamp();
            text.Clear();
            transcoder.Write(observation, text);
            return Stopwatch.GetElapsedTime(started).TotalMilliseconds;
        }

        static double Format(ResponseObservation message)
        {
            var started = Stopwatch.GetTimestamp();
            GC.KeepAlive(JsonFormatter.Default.Format(message));
            return Stopwatch.GetElapsedTime(started).TotalMilliseconds;
        }
    }
}
