using System.Globalization;
using System.IO.Hashing;
using Google.Protobuf;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Looks at all of a recording, chunk by chunk, and checks whatever the file has to check it by. Memory is bounded by a
/// chunk. Damage is reported and passed over.
/// </summary>
public sealed class RecordingInspection
{
    private const double LoopsPerSecond = 22.4;
    private const int MostLines = 20;
    private const int LongestReason = 500;

    private readonly RecordingReader _recording;
    private readonly McapFile _file;
    private readonly RecordingErrors _errors;
    private readonly LoadedChunk _chunk = new();
    private readonly StepMeasures _measures = new();
    private readonly ObservedSteps _steps = new();
    private readonly HashSet<McapException> _damage = [];
    private readonly SortedDictionary<ushort, ChannelFigures> _channels = [];
    private readonly List<GapRow> _gaps = [];
    private bool _hasMoreGaps;
    private long _moreDamage;
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
    public static InspectionReport Inspect(string path, CancellationToken ct) => Inspect(path, isWritten: false, ct);

    /// <summary>Inspects a file.</summary>
    /// <param name="path">Where it is.</param>
    /// <param name="isWritten">Whether somebody writes it: that it has no end yet is no damage then.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="RecordingException">It is no recording, or nothing of it can be read.</exception>
    public static InspectionReport Inspect(string path, bool isWritten, CancellationToken ct)
    {
        using var recording = RecordingReader.Open(path);
        var inspection = new RecordingInspection(recording);
        return inspection._errors.Told(() => inspection.Run(isWritten, ct));
    }

    private InspectionReport Run(bool isWritten, CancellationToken ct)
    {
        if (_file.Layout.Problem is { } problem && !(isWritten && problem.IsCut))
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

        _file.Chunks.Forget();
        _file.Chunks.Loader.ChecksTwice = true;
        foreach (var place in _file.Layout.Places)
        {
            ct.ThrowIfCancellationRequested();
            Try(() => Add(place, _file.Chunks.Loader));
        }

        if (_damage.Count == 0)
        {
            Try(CheckWhole);
        }

        if (_steps.HasMoreGaps || _hasMoreGaps)
        {
            _damage.Add(new McapException($"it has more than {McapLimits.Gaps} gaps", 0, "the first are listed"));
        }

        return new InspectionReport(
            _recording.Name,
            _recording.FileLength,
            _recording.Library,
            Lines(),
            MatchFacts.Of(_recording, _end),
            _steps.Length(LoopsPerSecond),
            new ChunkFigures(_chunks, _rawBytes, _storedBytes, _rawBytes / (double)Math.Max(1, _storedBytes)),
            [.. _channels.Values],
            attachments,
            _steps.Gaps(_gaps),
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
            // That may be the one that was known before it was come to.
            if (_damage.Count < MostLines)
            {
                _damage.Add(damage);
            }
            else if (!_damage.Contains(damage))
            {
                _moreDamage++;
            }
        }
    }

    private void Add(ChunkPlace place, ChunkLoader loader)
    {
        loader.Load(place, _chunk);
        var stored = place.Kind == PlaceKind.Chunk
            ? (long)loader.ReadHead(place).Head.CompressedSize
            : place.Length;
        _chunks += place.Kind == PlaceKind.Chunk ? 1 : 0;
        _rawBytes += _chunk.Length;
        _storedBytes += stored;
        var share = stored / (double)Math.Max(1, _chunk.Length);
        foreach (var id in _chunk.Channels)
        {
            var messages = _chunk.Of(id);
            var topic = _file.Layout.Channels.Find(id)!.Topic;
            long bytes = 0;
            foreach (var message in messages)
            {
                bytes += message.Length;
                Add(topic, message, share, place.Offset);
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

    private void Add(string topic, in MessagePlace message, double share, long offset)
    {
        var data = _chunk.DataOf(message);
        if (RecordingFormat.PerspectiveOf(topic) is { } perspective)
        {
            var observation = new RecordedObservation(
                perspective, message.Sequence, (long)message.PublishTime, (long)message.LogTime, data);
            var gameLoop = MessageKeys.GameLoopOf(data.Span, offset);
            _steps.Add(observation, gameLoop);
            _measures.Add(observation, gameLoop, message.Length * share);
        }
        else if (topic == RecordingFormat.Steps)
        {
            _measures.Add(McapFile.Parse(StepRecord.Parser, data.Span, offset, "a message"));
        }
        else if (topic == RecordingFormat.Match)
        {
            var record = MatchRecords.Current(McapFile.Parse(MatchRecord.Parser, data.Span, offset, "a message"));
            _end = record.End ?? _end;
            _hasMoreGaps |= record.Gap is not null && _gaps.Count == McapLimits.Gaps;
            if (record.Gap is { } gap && !_hasMoreGaps)
            {
                var reason = gap.Reason.Length <= LongestReason ? gap.Reason : gap.Reason[..LongestReason];
                _gaps.Add(new GapRow(gap.Perspective, gap.FirstStep, gap.Steps, reason));
            }
        }
    }

    // What nothing else guards: a byte that changed between the chunks.
    private void CheckWhole()
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
            throw new McapException("a byte outside of the chunks is another than was written", _file.Layout.End);
        }
    }

    private List<string> Lines()
    {
        var lines = _damage.Select(_errors.Line).ToList();
        if (_moreDamage > 0)
        {
            lines.Add(string.Create(
                CultureInfo.InvariantCulture, $"{_recording.Name}: {_moreDamage:N0} more like these"));
        }

        return lines;
    }
}
