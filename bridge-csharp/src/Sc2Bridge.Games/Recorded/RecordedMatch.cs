using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>A recording's match, as it is described to agents when it is played.</summary>
internal static class RecordedMatch
{
    /// <summary>The match as it was described when it was recorded, but for what is the playback's.</summary>
    /// <exception cref="GameException">Its name is none that a frame can carry.</exception>
    /// <exception cref="RecordingException">The recording is damaged there.</exception>
    public static MatchDescription Describe(RecordingReader recording, StepRate rate)
    {
        var description = recording.Description.Clone();
        description.Recording = Path.GetFileName(recording.Name);
        description.MatchId = description.MatchId.Length > 0 ? description.MatchId : description.Recording;
        if (System.Text.Encoding.UTF8.GetByteCount(description.MatchId) > FrameEnvelope.LongestMatchName)
        {
            throw new GameException(
                $"{recording.Name} cannot be played: its match has a name of more than "
                + $"{FrameEnvelope.LongestMatchName} bytes; record it with a shorter one");
        }

        // The order matters: who does not choose a perspective gets the first.
        uint[] perspectives =
            [.. description.Perspectives.Intersect(recording.Perspectives).Union(recording.Perspectives)];
        description.Perspectives.Clear();
        description.Perspectives.Add(perspectives);
        description.Rate = rate.Hz;
        description.Realtime = false;
        description.ClockId = ClockId.Read();
        description.GameInfo = recording.ReadGameInfo();
        description.Data = recording.ReadData();
        return description;
    }

    /// <summary>The match as each perspective's game told of it.</summary>
    /// <exception cref="RecordingException">The recording is damaged there.</exception>
    public static IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo(RecordingReader recording) =>
        recording.Perspectives
            .Select(perspective => (Perspective: perspective, Info: recording.ReadGameInfo(perspective)))
            .Where(known => known.Info is not null)
            .ToDictionary(known => known.Perspective, known => known.Info!);

    /// <summary>How it ends: as it was recorded, or where what is played ends before that.</summary>
    /// <returns>The end, and whether the recording goes so far.</returns>
    public static (MatchEnd End, bool IsWhole) End(
        RecordingReader recording, MatchDescription description, PlaybackRange range)
    {
        var end = new MatchEnd { MatchId = description.MatchId, Step = range.LastStep, GameLoop = range.LastLoop };
        if (range.IsCut)
        {
            end.Reason = EndReason.RangeEnd;
            return (end, true);
        }

        var problem = recording.Problem;
        try
        {
            if (recording.ReadEnd() is { } recorded)
            {
                recorded.MatchId = description.MatchId;
                recorded.NextFollows = false;
                return (recorded, true);
            }
        }
        catch (RecordingException damaged)
        {
            problem ??= damaged.Message;
        }

        end.Reason = EndReason.Failed;
        end.Detail = "The recording ends before its match does. "
            + (problem ?? $"{recording.Name} was not closed");
        end.Aborted = true;
        return (end, false);
    }
}
