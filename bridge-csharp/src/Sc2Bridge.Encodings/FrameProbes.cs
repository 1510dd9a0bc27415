using System.Diagnostics;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.Json;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;

namespace Sc2Bridge.Encodings;

/// <summary>Measures the bridge's encodings for the step log.</summary>
public static class FrameProbes
{
    /// <summary>Creates one probe of each kind, for one step log.</summary>
    public static IReadOnlyList<IFrameProbe> All() =>
    [
        new JsonProbe(),
        new ColumnsProbe(),
        new GroupProbe(),
    ];
}

/// <summary>
/// Measures the size of each observation as JSON, and the times to write this JSON and to parse it to protobuf. The writer caches
/// the last frame, as it does for subscribers.
/// </summary>
internal sealed class JsonProbe : IFrameProbe
{
    private readonly JsonWriterPool _observations = new(SC2APIProtocol.ResponseObservation.Descriptor);

    /// <inheritdoc/>
    public void Read(ObservationFrame frame, ref CodecFigures figures)
    {
        if (frame.FigureOf(EncodingKind.Json) is { } whole)
        {
            figures.JsonEventBytes = whole.Bytes;
            figures.JsonBytes = whole.Bytes - EnvelopeBytes(frame.Header);
            figures.JsonWriteUs = whole.Us;
        }
        else if (frame.FigureOf(EncodingKind.ObservationJson) is { } alone)
        {
            figures.JsonBytes = alone.Bytes;
            figures.JsonEventBytes = alone.Bytes + EnvelopeBytes(frame.Header);
            figures.JsonWriteUs = alone.Us;
        }
    }

    /// <inheritdoc/>
    public void Measure(ObservationFrame frame, ref CodecFigures figures)
    {
        try
        {
            var started = Stopwatch.GetTimestamp();
            var text = _observations.Write(frame, PartSet.None, frame.Observation.Span);
            figures.JsonWriteUs ??= Stopwatch.GetElapsedTime(started).TotalMicroseconds;
            figures.JsonBytes ??= text.Length;
            figures.JsonEventBytes ??= text.Length + EnvelopeBytes(frame.Header);
            figures.JsonParseUs = MeasureParse(text);
        }
        catch (EncodingException)
        {
            // The bytes are not an observation, so the row's cells stay empty.
        }
    }

    // Returns the time in microseconds. Releases the text.
    private static double MeasureParse(MessageBuffer text)
    {
        var wire = MessageBuffer.Rent(text.Length / 2);
        try
        {
            var started = Stopwatch.GetTimestamp();
            JsonReader.Read(text.Written.Span, SC2APIProtocol.ResponseObservation.Descriptor, wire);
            return Stopwatch.GetElapsedTime(started).TotalMicroseconds;
        }
        finally
        {
            wire.Release();
            text.Release();
        }
    }

    private static int EnvelopeBytes(in FrameHeader header)
    {
        // Writes a frame with an empty observation. The observation's two brackets are not part of the envelope.
        var frame = ObservationFrame.Copy([], header);
        var text = MessageBuffer.Rent();
        try
        {
            using var writer = new WireToJson(V1.PlayResponse.Descriptor);
            writer.Write(frame.EventMessage.Span, text);
            return text.Length - "{}".Length;
        }
        finally
        {
            text.Release();
            frame.Release();
        }
    }
}

/// <summary>Measures each frame's observation as columns.</summary>
internal sealed class ColumnsProbe : IFrameProbe
{
    /// <inheritdoc/>
    public void Read(ObservationFrame frame, ref CodecFigures figures) =>
        figures.ColumnsBytes ??= frame.FigureOf(EncodingKind.Columns)?.Bytes;

    /// <inheritdoc/>
    public void Measure(ObservationFrame frame, ref CodecFigures figures)
    {
        try
        {
            var columns = ColumnsWriter.Write(frame.Observation.Span);
            figures.ColumnsBytes ??= columns.Length;
            columns.Release();
        }
        catch (EncodingException)
        {
            // The bytes are not an observation, so the row's cell stays empty.
        }
    }
}

/// <summary>
/// Measures each observation in group zstd, as if a subscriber took every frame. Each perspective has its own group, independent
/// of the groups for subscribers.
/// </summary>
internal sealed class GroupProbe : IFrameProbe
{
    private readonly Dictionary<uint, GroupCompressor> _compressors = [];

    /// <inheritdoc/>
    public void Read(ObservationFrame frame, ref CodecFigures figures) =>
        figures.ZstdAddedBytes ??= frame.FigureOf(EncodingKind.GroupZstd)?.Bytes;

    /// <inheritdoc/>
    public void Measure(ObservationFrame frame, ref CodecFigures figures)
    {
        if (!_compressors.TryGetValue(frame.Header.Perspective, out var compressor))
        {
            _compressors[frame.Header.Perspective] = compressor = new GroupCompressor();
        }

        var block = compressor.Add(frame.Observation.Span);
        figures.ZstdAddedBytes ??= block.Data.Length;
        block.Release();
    }
}
