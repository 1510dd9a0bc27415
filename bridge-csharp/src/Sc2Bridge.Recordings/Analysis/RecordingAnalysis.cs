using System.Text.Json;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Reads, makes and adds the analysis of a recording.</summary>
public static class RecordingAnalysis
{
    /// <summary>The analysis that a recording holds.</summary>
    /// <returns>Null if it has none, one by older rules, or something else under that name, which is ignored.</returns>
    /// <exception cref="RecordingException">The attachment is damaged.</exception>
    public static MatchAnalysis? Read(RecordingReader recording)
    {
        ArgumentNullException.ThrowIfNull(recording);
        return new RecordingErrors(recording.Name).Told<MatchAnalysis?>(() =>
        {
            try
            {
                return recording.File.Layout.Attachments.Find(one => one.Name == RecordingFormat.Analysis) is { Length: <= McapLimits.Analysis } place
                    && AnalysisJson.Read(recording.File.ReadAttachment(place).Data.Span) is { Rules: >= MatchAnalyst.Rules } analysis
                    ? analysis
                    : null;
            }
            catch (JsonException)
            {
                return null;
            }
        });
    }

    /// <summary>Analyses all of a recording.</summary>
    /// <param name="recording">The recording.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="RecordingException">The recording is damaged, or lacks the game's data.</exception>
    public static MatchAnalysis Make(RecordingReader recording, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(recording);
        var data = recording.ReadData() ?? throw new RecordingException(
            $"{recording.Name} cannot be analysed: it lacks the game's data (names and costs of units); record the match again");
        var analyst = new MatchAnalyst(data, recording.Description);
        using (var reader = recording.Observations())
        {
            while (reader.Next(out var observation))
            {
                ct.ThrowIfCancellationRequested();
                try
                {
                    analyst.Add(observation.Perspective, observation.Bytes.Span);
                }
                catch (Exception malformed) when (malformed is MalformedMessageException or InvalidProtocolBufferException)
                {
                    throw new RecordingException(
                        $"{recording.Name}: the observation of step {observation.Step} is malformed: record the match again", malformed);
                }
            }
        }

        foreach (var record in recording.Actions())
        {
            ct.ThrowIfCancellationRequested();
            analyst.Add(record);
        }

        return analyst.Finish();
    }

    /// <summary>Copies a whole recording and adds an analysis. Chunks are copied as they are.</summary>
    /// <param name="recording">The recording; only read.</param>
    /// <param name="target">The copy; must not exist.</param>
    /// <param name="analysis">The analysis, which replaces an older one.</param>
    /// <param name="ct">Gives up, before the next chunk; the copy is deleted then.</param>
    /// <exception cref="RecordingException">
    /// The recording is damaged, or the copy cannot be written; the copy is deleted then.
    /// </exception>
    public static void Copy(RecordingReader recording, string target, MatchAnalysis analysis, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(recording);
        new RecordingErrors(recording.Name).Told(() =>
        {
            var file = recording.File;
            if (file.Layout.Problem is { } damage)
            {
                throw damage;
            }

            using var sink = new FileSink(target);
            using var mcap = new McapWriter(sink, file.Layout.Header);
            var copy = new ChunkCopy(file, mcap);
            copy.AddAttached(except: RecordingFormat.Analysis);
            file.Chunks.Forget();
            foreach (var place in file.Layout.Places)
            {
                ct.ThrowIfCancellationRequested();
                copy.Load(place);
                copy.Add(place);
            }

            copy.Declare();
            var end = file.Layout.Statistics?.EndTime ?? 0;
            mcap.Add(new Attachment(end, end, RecordingFormat.Analysis, AnalysisJson.MediaType, AnalysisJson.Write(analysis)));
            mcap.Finish();
            sink.Keep();
            return true;
        });
    }
}
