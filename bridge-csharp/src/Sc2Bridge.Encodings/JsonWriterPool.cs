using Google.Protobuf.Reflection;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings;

/// <summary>
/// Writes frames as text, with a writer for each of the series that were written last, which remembers one frame and
/// its text: a bounded number of them, and each for one thread at a time. Thread-safe.
/// </summary>
/// <param name="type">What is written of a frame.</param>
internal sealed class JsonWriterPool(MessageDescriptor type)
{
    // About 2 MiB each late in a match.
    private const int Most = 8;

    // What a text may be longer than the one before without being moved to a larger buffer.
    private const int Growth = 16 << 10;

    // A text is 2 to 5 times as long as its message.
    private const int ExpectedRatio = 5;

    private static readonly FieldDescriptor _units =
        SC2APIProtocol.ObservationRaw.Descriptor.FindFieldByNumber(SC2APIProtocol.ObservationRaw.UnitsFieldNumber);

    private readonly Lock _lock = new();

    private readonly Dictionary<Series, SeriesWriter> _idle = new(Most);

    /// <summary>Writes a frame.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="exclude">Parts that it is written without.</param>
    /// <param name="bytes">What is written of it.</param>
    /// <returns>The text, held once for the caller.</returns>
    /// <exception cref="EncodingException">The observation is malformed.</exception>
    public MessageBuffer Write(ObservationFrame frame, PartSet exclude, ReadOnlySpan<byte> bytes)
    {
        var series = new Series(frame.Header.MatchId, frame.Header.Perspective, exclude);
        var writer = Take(series);
        var text = MessageBuffer.Rent(writer.Last > 0 ? writer.Last + Growth : bytes.Length * ExpectedRatio);
        try
        {
            writer.Json.Write(bytes, text);
            writer.Last = text.Length;
            return text;
        }
        catch (Exception failure)
        {
            text.Release();
            if (failure is not EncodingException)
            {
                throw;
            }

            throw new EncodingException(
                $"The game's observation of step {frame.Header.Step} cannot be read: {failure.Message} of its {type.Name}", failure);
        }
        finally
        {
            Return(series, writer);
        }
    }

    /// <summary>Lets go of the writers, each with the last text of its series: the next texts are written as first ones.</summary>
    public void Trim()
    {
        lock (_lock)
        {
            foreach (var idle in _idle.Values)
            {
                idle.Json.Dispose();
            }

            _idle.Clear();
        }
    }

    // A new one if another thread writes with the series' own.
    private SeriesWriter Take(Series series)
    {
        lock (_lock)
        {
            return _idle.Remove(series, out var idle) ? idle : new SeriesWriter(new WireToJson(type, _units));
        }
    }

    // Of two of one series the one that wrote last stays.
    private void Return(Series series, SeriesWriter writer)
    {
        lock (_lock)
        {
            if (_idle.Remove(series, out var superseded))
            {
                superseded.Json.Dispose();
            }
            else if (_idle.Count == Most)
            {
                Trim();
            }

            _idle.Add(series, writer);
        }
    }

    // Frames that resemble each other.
    private readonly record struct Series(string Match, uint Perspective, PartSet Exclude);

    private sealed record SeriesWriter(WireToJson Json)
    {
        // The length of its last text.
        public int Last { get; set; }
    }
}
