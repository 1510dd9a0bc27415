using SC2APIProtocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Games;

/// <summary>Describes a recording's match to agents of its playback.</summary>
internal static class RecordedMatch
{
    /// <summary>The recorded description of the match, with the playback's name, rate and clock.</summary>
    /// <exception cref="GameException">The match's name is too long for a frame.</exception>
    /// <exception cref="RecordingException">The method reads a damaged part of the recording.</exception>
    public static MatchDescription Describe(RecordingReader recording, StepRate rate)
    {
        var description = recording.Description.Clone();
        description.Recording = Path.GetFileName(recording.Name);
        description.MatchId = description.MatchId.Length > 0 ? description.MatchId : description.Recording;
        if (System.Text.Encoding.UTF8.GetByteCount(description.MatchId) > EnvelopeWriter.LongestMatchName)
        {
            throw new GameException(
                $"{recording.Name} cannot be played: the name of its match has more than "
                + $"{EnvelopeWriter.LongestMatchName} bytes. Record the match with a shorter name");
        }

        // The order matters: a client that chooses no perspective gets the first perspective.
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

    /// <summary>The game's information about the match, for each perspective.</summary>
    /// <exception cref="RecordingException">The method reads a damaged part of the recording.</exception>
    public static IReadOnlyDictionary<uint, ResponseGameInfo> GameInfo(RecordingReader recording) =>
        recording.Perspectives
            .Select(perspective => (Perspective: perspective, Info: recording.ReadGameInfo(perspective)))
            .Where(known => known.Info is not null)
            .ToDictionary(known => known.Perspective, known => known.Info!);

    /// <summary>How the playback ends: like the recorded match, or earlier at the end of the range.</summary>
    /// <returns>How the playback ends, and whether the recording is complete up to that end.</returns>
    public static (MatchEnd End, bool IsComplete) End(
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
