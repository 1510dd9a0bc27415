using System.Globalization;
using Google.Protobuf;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Copies what is whole of one file into another. Where something is left out between observations, a gap is written.
/// </summary>
/// <param name="file">What is copied.</param>
/// <param name="mcap">Where it goes.</param>
internal sealed class RepairCopy(McapFile file, McapWriter mcap)
{
    private const string Reason = "the recording was damaged here";

    private readonly ChunkCopy _copy = new(file, mcap);
    private readonly List<string> _leftOut = [];

    // By channel of observations: the step that comes next, and whether some may have been left out before it.
    private readonly Dictionary<ushort, (uint Next, bool Lost)> _steps = [];

    // By channel: how many observations were copied, or are counted by a new gap.
    private readonly Dictionary<ushort, long> _known = [];
    private ulong _lastTime;

    // What the next message of /match counts: gaps that are written move on those behind them.
    private uint _matchCount;
    private long _chunks;
    private long _observations;
    private long _messages;

    /// <summary>Copies it, and ends the file.</summary>
    /// <param name="ct">Stops it, before the next chunk.</param>
    public RepairReport Run(CancellationToken ct)
    {
        file.Chunks.Forget();
        foreach (var attachment in file.Layout.Attachments)
        {
            Try((long)attachment.Offset, (long)attachment.Length, () =>
                mcap.Add(file.ReadAttachment(attachment)));
        }

        foreach (var (offset, length, damage) in file.Layout.Lost)
        {
            Leave(offset, length, damage);
        }

        foreach (var metadata in file.Layout.Metadata)
        {
            Try((long)metadata.Offset, (long)metadata.Length, () => mcap.Add(file.ReadMetadata(metadata)));
        }

        foreach (var place in file.Layout.Places)
        {
            ct.ThrowIfCancellationRequested();
            if (!Try(place.Offset, place.Length, () => Copy(place)))
            {
                foreach (var channel in Observed())
                {
                    _steps[channel.Id] = (_steps.GetValueOrDefault(channel.Id).Next, true);
                }
            }
        }

        _copy.Declare();
        TellLostEnd();
        mcap.Finish();
        if (file.Layout is { LostTail: > 0 and var lost, Problem: { } problem })
        {
            Leave(file.Layout.End, lost, problem);
        }

        return new RepairReport(_chunks, _observations, _messages, _leftOut);
    }

    private void Copy(ChunkPlace place)
    {
        // What the summary says may be what is damaged: the chunk is held to itself alone.
        var alone = place with { Index = null };
        _copy.Load(alone);
        TellGaps();
        var match = Find(RecordingFormat.Match)?.Id;
        var told = match is { } id ? Chunk.Of(id) : default;
        if (told is [var next, ..] && next.Sequence < _matchCount)
        {
            _copy.Add(alone, (channel, sequence) => channel == match ? Count(sequence) : sequence);
        }
        else
        {
            _copy.Add(alone);
            foreach (var message in told)
            {
                Count(message.Sequence);
            }
        }

        _chunks += place.Kind == PlaceKind.Chunk ? 1 : 0;
        foreach (var channel in Chunk.Channels)
        {
            _messages += Chunk.Of(channel).Length;
        }

        foreach (var channel in Observed())
        {
            if (Chunk.Of(channel.Id) is [.., var last] all)
            {
                _steps[channel.Id] = (last.Sequence + 1, false);
                _known[channel.Id] = _known.GetValueOrDefault(channel.Id) + all.Length;
                _observations += all.Length;
                _lastTime = Math.Max(_lastTime, last.LogTime);
            }
        }
    }

    private void TellGaps()
    {
        foreach (var channel in Observed())
        {
            var (next, lost) = _steps.GetValueOrDefault(channel.Id);
            if (!lost || Chunk.Of(channel.Id) is not [var first, ..] || first.Sequence <= next)
            {
                continue;
            }

            Tell(channel, next, first.Sequence - next, first.LogTime, first.PublishTime);
        }
    }

    // If the last chunks are lost, only the summary's counts tell how many observations they held.
    private void TellLostEnd()
    {
        foreach (var channel in Observed().ToList())
        {
            var (next, lost) = _steps.GetValueOrDefault(channel.Id);
            var all = file.Layout.Statistics?.ChannelMessageCounts.GetValueOrDefault(channel.Id) ?? 0;
            var missing = (long)all - _known.GetValueOrDefault(channel.Id);
            if (lost && missing > 0)
            {
                Tell(channel, next, (uint)missing, _lastTime, _lastTime);
            }
        }
    }

    private void Tell(Channel channel, uint first, uint steps, ulong logTime, ulong publishTime)
    {
        _known[channel.Id] = _known.GetValueOrDefault(channel.Id) + steps;
        var gap = new Gap
        {
            Perspective = RecordingFormat.PerspectiveOf(channel.Topic) ?? 0,
            FirstStep = first,
            Steps = steps,
            Reason = Reason,
        };
        mcap.Add(
            new MessageHead(MatchChannel().Id, Count(_matchCount), logTime, publishTime),
            new MatchRecord { Gap = gap }.ToByteArray());
        _messages++;
    }

    // The sequence of a message of /match: its own, or the next one.
    private uint Count(uint sequence)
    {
        var counted = Math.Max(_matchCount, sequence);
        _matchCount = counted + 1;
        return counted;
    }

    private Channel MatchChannel()
    {
        if (Find(RecordingFormat.Match) is { } known)
        {
            return known;
        }

        var channel = TopicChannels.Declare(file.Layout.Channels, RecordingFormat.Match, null);
        _copy.Declare();
        return channel;
    }

    private LoadedChunk Chunk => _copy.Chunk;

    private Channel? Find(string topic) => file.Layout.Channels.Find(topic);

    private IEnumerable<Channel> Observed() => file.Layout.Channels.Channels
        .Where(channel => RecordingFormat.PerspectiveOf(channel.Topic) is not null);

    // A form that is not read is no damage: there is nothing to repair then.
    private bool Try(long offset, long length, Action copy)
    {
        try
        {
            copy();
            return true;
        }
        catch (McapException damage) when (damage.Remedy is null)
        {
            Leave(offset, length, damage);
            return false;
        }
    }

    private void Leave(long offset, long length, McapException damage) => _leftOut.Add(string.Create(
        CultureInfo.InvariantCulture, $"{length:N0} bytes from byte {offset} on: {damage.Message}"));
}
