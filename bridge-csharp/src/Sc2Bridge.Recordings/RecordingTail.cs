using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>A step of a recording, with its times.</summary>
/// <param name="Perspective">A player id, or 0 for an observer of all players.</param>
/// <param name="Step">The step's number.</param>
/// <param name="GameLoop">The observation's game loop.</param>
/// <param name="RequestedNs">When the observation was requested, in nanoseconds of Unix time.</param>
/// <param name="ObservedNs">When the game's answer arrived, in nanoseconds of Unix time.</param>
public readonly record struct RecordedStep(uint Perspective, ulong Step, uint GameLoop, long RequestedNs, long ObservedNs);

/// <summary>
/// The end of a recording, or the part before a game loop, as a recording of its own, of all perspectives. It lacks the analysis, because that is about the whole match.
/// Only whole messages are copied, so the memory is limited by the size of the result and by one chunk.
/// </summary>
public sealed class RecordingTail
{
    private readonly McapFile _file;
    private readonly Func<string, string> _clean;
    private readonly RecordingCleaner _cleaner;
    private readonly Dictionary<ushort, string> _topics = [];
    private readonly Dictionary<ushort, uint> _perspectives = [];
    private readonly List<RecordedStep> _steps = [];

    private RecordingTail(McapFile file, Func<string, string> clean, Func<ReadOnlyMemory<byte>, bool> isPrivate)
    {
        (_file, _clean, _cleaner) = (file, clean, new RecordingCleaner(clean, isPrivate));
        foreach (var channel in file.Layout.Channels.Channels)
        {
            _topics[channel.Id] = channel.Topic;
            if (RecordingFormat.PerspectiveOf(channel.Topic) is { } perspective)
            {
                _perspectives[channel.Id] = perspective;
            }
        }
    }

    /// <summary>The recording.</summary>
    public byte[] Bytes { get; private set; } = [];

    /// <summary>The steps in the recording, in the order of the file.</summary>
    public IReadOnlyList<RecordedStep> Steps => _steps;

    /// <summary>Cuts a recording.</summary>
    /// <param name="path">The recording. It is not changed, and may be damaged at its end.</param>
    /// <param name="loops">The number of game loops to copy.</param>
    /// <param name="lastLoop">The last game loop to copy. The recording may end before it.</param>
    /// <param name="mostBytes">The largest size of the result. If it would be larger, fewer game loops are copied.</param>
    /// <param name="clean">Removes private texts from a text. All texts are cleaned, except the unit data.</param>
    /// <param name="isPrivate">Whether a cleaned message must be left out, because a field of bytes contains a private text.</param>
    /// <param name="ct">Cancels before the next chunk.</param>
    /// <returns>Null if the recording has no observation, or if not even the last one fits.</returns>
    /// <exception cref="RecordingException">The file cannot be read.</exception>
    public static RecordingTail? Cut(
        string path, uint loops, uint lastLoop, int mostBytes, Func<string, string> clean, Func<ReadOnlyMemory<byte>, bool> isPrivate, CancellationToken ct)
    {
        using var recording = RecordingReader.Open(path);
        return new RecordingErrors(recording.Name).Wrap(() =>
        {
            var tail = new RecordingTail(recording.File, clean, isPrivate);
            if (tail.FindLast(loops, lastLoop, ct) is not var (firstRegion, last))
            {
                return null;
            }

            var start = recording.Description.Clone();

            // The longest tail that fits. All of the requested game loops usually fit, so that is tried first.
            for (var (fits, tooMany, tried) = (0u, Math.Min(loops, last + 1) + 1, Math.Min(loops, last + 1)); ; tried = fits + ((tooMany - fits) / 2))
            {
                if (tail.Write(start, firstRegion, last + 1 - tried, last, mostBytes, ct) is { } bytes)
                {
                    (fits, tail.Bytes) = (tried, bytes);
                }
                else
                {
                    tooMany = tried;
                }

                if (tooMany - fits <= 1)
                {
                    if (fits > 0 && tried != fits)
                    {
                        tail.Bytes = tail.Write(start, firstRegion, last + 1 - fits, last, mostBytes, ct)!;
                    }

                    return fits > 0 && tail._steps.Count > 0 ? tail : null;
                }
            }
        });
    }

    // The region with the first game loop to copy, and the last game loop. Reads from the end, so a long recording costs no more.
    private (int FirstRegion, uint Last)? FindLast(uint loops, uint lastLoop, CancellationToken ct)
    {
        uint? last = null;
        var regions = _file.Layout.Regions;
        var chunk = new LoadedChunk();
        var first = regions.Count;
        for (var region = regions.Count - 1; region >= 0; region--)
        {
            ct.ThrowIfCancellationRequested();
            try
            {
                _file.Chunks.Loader.Load(regions[region], chunk);
            }
            catch (McapException) when (last is not null)
            {
                // The rest before a damaged chunk is left out.
                break;
            }
            catch (McapException)
            {
                continue;
            }

            first = region;
            uint? earliest = null;
            foreach (var channel in chunk.Channels.Where(_perspectives.ContainsKey))
            {
                var messages = chunk.MessagesOf(channel);
                var offset = regions[region].Offset;
                var (from, to) = (messages[0], messages[messages.Length - 1]);
                var begin = MessageKeys.GameLoopOf(chunk.DataOf(from).Span, offset);
                if (begin <= lastLoop)
                {
                    last = Math.Max(last ?? 0, Math.Min(lastLoop, MessageKeys.GameLoopOf(chunk.DataOf(to).Span, offset)));
                    earliest = Math.Min(earliest ?? uint.MaxValue, begin);
                }
            }

            if (earliest is { } loop && loop + loops <= last + 1)
            {
                break;
            }
        }

        return last is { } end ? (first, end) : null;
    }

    // Null if the result would be larger than allowed.
    private byte[]? Write(MatchDescription start, int firstRegion, uint firstLoop, uint lastLoop, int mostBytes, CancellationToken ct)
    {
        _steps.Clear();
        var sink = new MemorySink();
        using var mcap = new McapWriter(sink, _file.Layout.Header);
        var copy = new ChunkCopy(_file, mcap);
        foreach (var attachment in _file.Layout.Attachments.Where(entry => entry.Name != RecordingFormat.Analysis))
        {
            if (_cleaner.Clean(_file.ReadAttachment(attachment)) is { } cleaned)
            {
                mcap.Add(cleaned);
            }
        }

        foreach (var metadata in _file.Layout.Metadata.Select(_file.ReadMetadata))
        {
            mcap.Add(metadata with { Texts = metadata.Texts.ToDictionary(one => one.Key, one => _clean(one.Value)) });
        }

        copy.Declare();
        var match = _file.Layout.Channels.Find(RecordingFormat.Match)?.Id;
        ulong? cut = null;
        var end = ulong.MaxValue;
        foreach (var region in _file.Layout.Regions.Skip(firstRegion))
        {
            ct.ThrowIfCancellationRequested();
            if (sink.Length > mostBytes)
            {
                return null;
            }

            try
            {
                copy.Load(region);
            }
            catch (McapException)
            {
                break;
            }

            foreach (var (channel, message) in copy.Chunk.InOrder())
            {
                var data = copy.Chunk.DataOf(message);
                var head = new MessageHead(channel, message.Sequence, message.LogTime, message.PublishTime);
                if (_perspectives.TryGetValue(channel, out var perspective))
                {
                    var loop = MessageKeys.GameLoopOf(data.Span, region.Offset);
                    if (loop > lastLoop)
                    {
                        end = Math.Min(end, message.LogTime);
                    }
                    else if (loop >= firstLoop && Clean(channel, data) is { } observation)
                    {
                        if (cut is null && match is { } id)
                        {
                            cut = message.PublishTime;
                            mcap.Add(new MessageHead(id, 0, message.PublishTime, message.PublishTime), _cleaner.Clean(start));
                        }

                        mcap.Add(head, observation.Span);
                        _steps.Add(new RecordedStep(perspective, message.Sequence, loop, (long)message.PublishTime, (long)message.LogTime));
                    }
                }
                else if (channel == match)
                {
                    if (cut is not null && MatchRecord.Parser.ParseFrom(data.Span).End is not null && Clean(channel, data) is { } ended)
                    {
                        mcap.Add(head, ended.Span);
                    }
                }
                else if (message.LogTime >= cut && message.LogTime < end && Clean(channel, data) is { } other)
                {
                    mcap.Add(head, other.Span);
                }
            }
        }

        mcap.Finish();
        return sink.Length > mostBytes ? null : sink.ToArray();
    }

    private ReadOnlyMemory<byte>? Clean(ushort channel, ReadOnlyMemory<byte> data) => _cleaner.Clean(_topics.GetValueOrDefault(channel, ""), data);

    private sealed class MemorySink : IByteSink
    {
        private readonly ArrayBufferWriter<byte> _bytes = new();

        public int Length => _bytes.WrittenCount;

        public void Append(ReadOnlySpan<byte> bytes) => _bytes.Write(bytes);

        public byte[] ToArray() => _bytes.WrittenSpan.ToArray();
    }
}
