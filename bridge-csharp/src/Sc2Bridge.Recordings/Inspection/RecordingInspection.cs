using System.Globalization;
using System.IO.Hashing;
using Google.Protobuf;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Reads a whole recording, chunk by chunk, and verifies all checksums and indexes. It needs memory for one chunk only.
/// Damage is reported and skipped.
/// </summary>
public sealed class RecordingInspection
{
    private const double LoopsPerSecond = 22.4;
    private const int MostDamageLines = 20;
    private const int LongestReason = 500;

    private readonly RecordingReader _recording;
    private readonly McapFile _file;
    private readonly RecordingErrors _errors;
    private readonly LoadedChunk _chunk = new();
    private readonly StepMeasures _measures = new();
    private readonly ObservedSteps _observedSteps = new();
    private readonly HashSet<McapException> _damage = [];
    private readonly SortedDictionary<ushort, ChannelFigures> _channels = [];
    private readonly List<GapRow> _gaps = [];
    private bool _hasMoreGaps;
    private long _unlistedDamage;
    private MatchEnd? _end;
    private long _chunks;
    private long _rawBytes;
    private long _storedBytes;

    private RecordingInspection(RecordingReader recording)
    {
        _recording = recording;
        _file = recording.File;
        _errors = new RecordingErrors(recording.Name);
    }

    /// <inheritdoc cref="Inspect(string, bool, CancellationToken)"/>
    public static InspectionReport Inspect(string path, CancellationToken ct) => Inspect(path, isStillWritten: false, ct);

    /// <summary>Inspects a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="isStillWritten">Whether the file is still being written. If so, a missing end is not damage.</param>
    /// <param name="ct">Cancels the inspection.</param>
    /// <exception cref="RecordingException">The file is not a recording, or nothing of it can be read.</exception>
    public static InspectionReport Inspect(string path, bool isStillWritten, CancellationToken ct)
    {
        using var recording = RecordingReader.Open(path);
        var inspection = new RecordingInspection(recording);
        return inspection._errors.Wrap(() => inspection.Run(isStillWritten, ct));
    }

    private InspectionReport Run(bool isStillWritten, CancellationToken ct)
    {
        if (_file.Layout.Problem is { } problem && !(isStillWritten && problem.IsCut))
        {
            _damage.Add(problem);
        }

        foreach (var channel in _file.Layout.Channels.Channels)
        {
            _channels[channel.Id] = new ChannelFigures(channel.Topic, 0, 0, 0);
        }

        var attachments = new Dictionary<string, long>();
        foreach (var attachment in _file.Layout.Attachments)
        {
            Try(() => attachments[attachment.Name] = _file.ReadAttachment(attachment).Data.Length);
        }

        _file.Chunks.FreeUnreferenced();
        _file.Chunks.Loader.AlwaysChecksCrc = true;
        foreach (var region in _file.Layout.Regions)
        {
            ct.ThrowIfCancellationRequested();
            Try(() => Add(region, _file.Chunks.Loader));
        }

        if (_damage.Count == 0)
        {
            Try(CheckDataCrc);
        }

        if (_observedSteps.HasMoreGaps || _hasMoreGaps)
        {
            _damage.Add(new McapException($"it has more than {McapLimits.Gaps} gaps", 0, "only the first are listed"));
        }

        return new InspectionReport(
            _recording.Name,
            _recording.FileLength,
            _recording.Library,
            DamageLines(),
            MatchFacts.Of(_recording, _end),
            _observedSteps.Length(LoopsPerSecond),
            new ChunkFigures(_chunks, _rawBytes, _storedBytes, _rawBytes / (double)Math.Max(1, _storedBytes)),
            [.. _channels.Values],
            attachments,
            _observedSteps.Gaps(_gaps),
            _measures.Rows(),
            _measures.Along());
    }

    private void Try(Action read)
    {
        try
        {
            read();
        }
        catch (McapException damage)
        {
            // The same damage may have been found earlier. It is counted only once.
            if (_damage.Count < MostDamageLines)
            {
                _damage.Add(damage);
            }
            else if (!_damage.Contains(damage))
            {
                _unlistedDamage++;
            }
        }
    }

    private void Add(FileRegion region, ChunkLoader loader)
    {
        loader.Load(region, _chunk);
        var stored = region.Kind == RegionKind.Chunk
            ? (long)loader.ReadHead(region).Head.CompressedSize
            : region.Length;
        _chunks += region.Kind == RegionKind.Chunk ? 1 : 0;
        _rawBytes += _chunk.Length;
        _storedBytes += stored;
        var share = stored / (double)Math.Max(1, _chunk.Length);
        foreach (var id in _chunk.Channels)
        {
            var messages = _chunk.MessagesOf(id);
            var topic = _file.Layout.Channels.Find(id)!.Topic;
            long bytes = 0;
            foreach (var message in messages)
            {
                bytes += message.Length;
                Add(topic, message, share, region.Offset);
            }

            var before = _channels.GetValueOrDefault(id) ?? new ChannelFigures(topic, 0, 0, 0);
            _channels[id] = before with
            {
                Messages = before.Messages + messages.Length,
                RawBytes = before.RawBytes + bytes,
                StoredBytes = before.StoredBytes + (bytes * share),
            };
        }
    }

    private void Add(string topic, in MessagePosition message, double share, long offset)
    {
        var data = _chunk.DataOf(message);
        if (RecordingFormat.PerspectiveOf(topic) is { } perspective)
        {
            var observation = new RecordedObservation(
                perspective, message.Sequence, (long)message.PublishTime, (long)message.LogTime, data);
            var gameLoop = MessageKeys.GameLoopOf(data.Span, offset);
            _observedSteps.Add(observation, gameLoop);
            _measures.Add(observation, gameLoop, message.Length * share);
        }
        else if (topic == RecordingFormat.Steps)
        {
            _measures.Add(McapFile.Parse(StepRecord.Parser, data.Span, offset, "a message"));
        }
        else if (topic == RecordingFormat.Match)
        {
            var record = MatchRecords.ToCurrentForm(McapFile.Parse(MatchRecord.Parser, data.Span, offset, "a message"));
            _end = record.End ?? _end;
            _hasMoreGaps |= record.Gap is not null && _gaps.Count == McapLimits.Gaps;
            if (record.Gap is { } gap && !_hasMoreGaps)
            {
                var reason = gap.Reason.Length <= LongestReason ? gap.Reason : gap.Reason[..LongestReason];
                _gaps.Add(new GapRow(gap.Perspective, gap.FirstStep, gap.Steps, reason));
            }
        }
    }

    // No other check covers the bytes between the chunks.
    private void CheckDataCrc()
    {
        if (_file.Layout.DataCrc == 0)
        {
            return;
        }

        var crc = new Crc32();
        var piece = new byte[1 << 20];
        for (long at = 0; at < _file.Layout.End;)
        {
            var length = (int)Math.Min(piece.Length, _file.Layout.End - at);
            _file.Bytes.Read(at, piece.AsSpan(0, length));
            crc.Append(piece.AsSpan(0, length));
            at += length;
        }

        if (crc.GetCurrentHashAsUInt32() != _file.Layout.DataCrc)
        {
            throw new McapException("the data has the wrong CRC: a byte outside of the chunks has changed", _file.Layout.End);
        }
    }

    private List<string> DamageLines()
    {
        var lines = _damage.Select(_errors.Line).ToList();
        if (_unlistedDamage > 0)
        {
            lines.Add(string.Create(
                CultureInfo.InvariantCulture, $"{_recording.Name}: {_unlistedDamage:N0} more like these"));
        }

        return lines;
    }
}
