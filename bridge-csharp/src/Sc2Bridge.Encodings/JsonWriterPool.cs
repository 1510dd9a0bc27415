using Google.Protobuf.Reflection;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings;

/// <summary>
/// Writes frames as JSON text. A writer caches the last message and its text for one series (match, perspective, excluded parts). The pool
/// keeps the writers of a few recent series, and one thread at a time uses a writer. Thread-safe.
/// </summary>
/// <param name="type">The type of the messages to write.</param>
internal sealed class JsonWriterPool(MessageDescriptor type)
{
    // A writer takes about 2 MiB late in a match.
    private const int MostIdleWriters = 8;

    // A text that is at most this many bytes longer than the previous text needs no larger buffer.
    private const int GrowthBytes = 16 << 10;

    // JSON text is 2 to 5 times as long as the message in protobuf.
    private const int ExpectedRatio = 5;

    private static readonly FieldDescriptor _unitsField =
        SC2APIProtocol.ObservationRaw.Descriptor.FindFieldByNumber(SC2APIProtocol.ObservationRaw.UnitsFieldNumber);

    private readonly Lock _lock = new();

    private readonly Dictionary<Series, SeriesWriter> _idle = new(MostIdleWriters);

    /// <summary>Writes a message of a frame.</summary>
    /// <param name="frame">The frame.</param>
    /// <param name="exclude">The parts of the observation that the message lacks.</param>
    /// <param name="bytes">The message.</param>
    /// <returns>The text. The caller must release it.</returns>
    /// <exception cref="EncodingException">The observation is malformed.</exception>
    public MessageBuffer Write(ObservationFrame frame, PartSet exclude, ReadOnlySpan<byte> bytes)
    {
        var series = new Series(frame.Header.MatchId, frame.Header.Perspective, exclude);
        var writer = Rent(series);
        var text = MessageBuffer.Rent(writer.LastLength > 0 ? writer.LastLength + GrowthBytes : bytes.Length * ExpectedRatio);
        try
        {
            writer.Json.Write(bytes, text);
            writer.LastLength = text.Length;
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
                $"The game's observation of step {frame.Header.Step} cannot be converted to JSON: {failure.Message} of its {type.Name}", failure);
        }
        finally
        {
            Return(series, writer);
        }
    }

    /// <summary>Frees all idle writers and their cached texts. The next text of each series is written without a cache.</summary>
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

    // Returns a new writer if another thread uses the writer of the series.
    private SeriesWriter Rent(Series series)
    {
        lock (_lock)
        {
            return _idle.Remove(series, out var idle) ? idle : new SeriesWriter(new WireToJson(type, _unitsField));
        }
    }

    // If two threads used writers of the same series, the pool keeps the writer that is returned last.
    private void Return(Series series, SeriesWriter writer)
    {
        lock (_lock)
        {
            if (_idle.Remove(series, out var superseded))
            {
                superseded.Json.Dispose();
            }
            else if (_idle.Count == MostIdleWriters)
            {
                Trim();
            }

            _idle.Add(series, writer);
        }
    }

    // Consecutive frames of a series are similar.
    private readonly record struct Series(string Match, uint Perspective, PartSet Exclude);

    private sealed record SeriesWriter(WireToJson Json)
    {
        // The length of the last text.
        public int LastLength { get; set; }
    }
}
