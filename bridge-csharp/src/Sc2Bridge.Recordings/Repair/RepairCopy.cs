using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Copies the undamaged parts of a file. If observations are left out, a gap is written in their place.
/// </summary>
/// <param name="file">The damaged file.</param>
/// <param name="mcap">The new file.</param>
internal sealed class RepairCopy(McapFile file, McapWriter mcap)
{
    private const string Reason = "the recording was damaged here";

    private readonly ChunkCopy _copy = new(file, mcap);
    private readonly List<string> _leftOutLines = [];

    // By channel of observations: the next expected step, and whether observations from that step on may have been left out.
    private readonly Dictionary<ushort, (uint Next, bool Lost)> _expectedSteps = [];

    // By channel: the number of copied observations, plus the number of observations that new gaps declare missing.
    private readonly Dictionary<ushort, long> _countedObservations = [];
    private ulong _lastTime;

    // The next sequence number of /match. Each new gap shifts the numbers of the later messages.
    private uint _nextMatchSequence;
    private long _chunks;
    private long _observations;
    private long _messages;

    /// <summary>Copies the file and finishes the new one.</summary>
    /// <param name="ct">Cancels before the next chunk.</param>
    public RepairReport Run(CancellationToken ct)
    {
        file.Chunks.FreeUnreferenced();
        foreach (var attachment in file.Layout.Attachments)
        {
            Try((long)attachment.Offset, (long)attachment.Length, () =>
                mcap.Add(file.ReadAttachment(attachment)));
        }

        foreach (var (offset, length, damage) in file.Layout.LostRecords)
        {
            AddLeftOut(offset, length, damage);
        }

        foreach (var metadata in file.Layout.Metadata)
        {
            Try((long)metadata.Offset, (long)metadata.Length, () => mcap.Add(file.ReadMetadata(metadata)));
        }

        foreach (var region in file.Layout.Regions)
        {
            ct.ThrowIfCancellationRequested();
            if (!Try(region.Offset, region.Length, () => Copy(region)))
            {
                foreach (var channel in ObservationChannels())
                {
                    _expectedSteps[channel.Id] = (_expectedSteps.GetValueOrDefault(channel.Id).Next, true);
                }
            }
        }

        _copy.Declare();
        AddGapsAtEnd();
        mcap.Finish();
        if (file.Layout is { LostTailBytes: > 0 and var lost, Problem: { } problem })
        {
            AddLeftOut(file.Layout.End, lost, problem);
        }

        return new RepairReport(_chunks, _observations, _messages, _leftOutLines);
    }

    private void Copy(FileRegion region)
    {
        // The summary may be the damaged part, so the chunk is checked without the summary.
        var withoutIndex = region with { Index = null };
        _copy.Load(withoutIndex);
        AddGaps();
        var match = ChannelOf(RecordingFormat.Match)?.Id;
        var matchMessages = match is { } id ? Chunk.MessagesOf(id) : default;
        if (matchMessages is [var next, ..] && next.Sequence < _nextMatchSequence)
        {
            _copy.Add(withoutIndex, (channel, sequence) => channel == match ? TakeMatchSequence(sequence) : sequence);
        }
        else
        {
            _copy.Add(withoutIndex);
            foreach (var message in matchMessages)
            {
                TakeMatchSequence(message.Sequence);
            }
        }

        _chunks += region.Kind == RegionKind.Chunk ? 1 : 0;
        foreach (var channel in Chunk.Channels)
        {
            _messages += Chunk.MessagesOf(channel).Length;
        }

        foreach (var channel in ObservationChannels())
        {
            if (Chunk.MessagesOf(channel.Id) is [.., var last] all)
            {
                _expectedSteps[channel.Id] = (last.Sequence + 1, false);
                _countedObservations[channel.Id] = _countedObservations.GetValueOrDefault(channel.Id) + all.Length;
                _observations += all.Length;
                _lastTime = Math.Max(_lastTime, last.LogTime);
            }
        }
    }

    private void AddGaps()
    {
        foreach (var channel in ObservationChannels())
        {
            var (next, lost) = _expectedSteps.GetValueOrDefault(channel.Id);
            if (!lost || Chunk.MessagesOf(channel.Id) is not [var first, ..] || first.Sequence <= next)
            {
                continue;
            }

            AddGap(channel, next, first.Sequence - next, first.LogTime, first.PublishTime);
        }
    }

    // If the last chunks are lost, only the summary's message counts show how many observations are missing.
    private void AddGapsAtEnd()
    {
        foreach (var channel in ObservationChannels().ToList())
        {
            var (next, lost) = _expectedSteps.GetValueOrDefault(channel.Id);
            var all = file.Layout.Statistics?.ChannelMessageCounts.GetValueOrDefault(channel.Id) ?? 0;
            var missing = (long)all - _countedObservations.GetValueOrDefault(channel.Id);
            if (lost && missing > 0)
            {
                AddGap(channel, next, (uint)missing, _lastTime, _lastTime);
            }
        }
    }

    private void AddGap(Channel channel, uint first, uint steps, ulong logTime, ulong publishTime)
    {
        _countedObservations[channel.Id] = _countedObservations.GetValueOrDefault(channel.Id) + steps;
        var gap = new Gap
        {
            Perspective = RecordingFormat.PerspectiveOf(channel.Topic) ?? 0,
            FirstStep = first,
            Steps = steps,
            Reason = Reason,
        };
        mcap.Add(
            new MessageHead(MatchChannel().Id, TakeMatchSequence(_nextMatchSequence), logTime, publishTime),
            new MatchRecord { Gap = gap }.ToByteArray());
        _messages++;
    }

    // Returns the sequence number for a message of /match: its old number, or the next free number if that is higher.
    private uint TakeMatchSequence(uint sequence)
    {
        var taken = Math.Max(_nextMatchSequence, sequence);
        _nextMatchSequence = taken + 1;
        return taken;
    }

    private Channel MatchChannel()
    {
        if (ChannelOf(RecordingFormat.Match) is { } known)
        {
            return known;
        }

        var channel = TopicChannels.Declare(file.Layout.Channels, RecordingFormat.Match, null);
        _copy.Declare();
        return channel;
    }

    private LoadedChunk Chunk => _copy.Chunk;

    private Channel? ChannelOf(string topic) => file.Layout.Channels.Find(topic);

    private IEnumerable<Channel> ObservationChannels() => file.Layout.Channels.Channels
        .Where(channel => RecordingFormat.PerspectiveOf(channel.Topic) is not null);

    // An unsupported format is not damage and cannot be repaired, so its exception is not caught.
    private bool Try(long offset, long length, Action copy)
    {
        try
        {
            copy();
            return true;
        }
        catch (McapException damage) when (damage.Remedy is null)
        {
            AddLeftOut(offset, length, damage);
            return false;
        }
    }

    private void AddLeftOut(long offset, long length, McapException damage) => _leftOutLines.Add(string.Create(
        CultureInfo.InvariantCulture, $"{length:N0} bytes from byte {offset} on: {damage.Message}"));
}
