using System.Text.Json;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings.Analysis;

/// <summary>Reads the analysis in a recording, analyses a recording, and copies a recording with a new analysis.</summary>
public static class RecordingAnalysis
{
    /// <summary>Reads the analysis from a recording.</summary>
    /// <returns>Null if the recording has no analysis, an analysis by older rules, or an invalid attachment <c>analysis</c>.</returns>
    /// <exception cref="RecordingException">The attachment is damaged.</exception>
    public static MatchAnalysis? Read(RecordingReader recording)
    {
        ArgumentNullException.ThrowIfNull(recording);
        return new RecordingErrors(recording.Name).Wrap<MatchAnalysis?>(() =>
        {
            try
            {
                return recording.File.Layout.Attachments.Find(entry => entry.Name == RecordingFormat.Analysis) is { Length: <= McapLimits.Analysis } region
                    && AnalysisJson.Read(recording.File.ReadAttachment(region).Data.Span) is { Rules: >= MatchAnalyst.Rules } analysis
                    ? analysis
                    : null;
            }
            catch (JsonException)
            {
                return null;
            }
        });
    }

    /// <summary>Analyses a whole recording.</summary>
    /// <param name="recording">The recording.</param>
    /// <param name="ct">Cancels the analysis.</param>
    /// <exception cref="RecordingException">The recording is damaged, or lacks the game's data.</exception>
    public static MatchAnalysis Analyse(RecordingReader recording, CancellationToken ct)
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

    /// <summary>Copies a recording and adds an analysis. Does not compress the chunks again.</summary>
    /// <param name="recording">The recording. It is not changed.</param>
    /// <param name="target">The path of the copy. The file must not exist.</param>
    /// <param name="analysis">The analysis. The copy contains no older analysis.</param>
    /// <param name="ct">Cancels copying before the next chunk. The copy is then deleted.</param>
    /// <exception cref="RecordingException">
    /// The recording is damaged, or the copy cannot be written. No copy remains.
    /// </exception>
    public static void Copy(RecordingReader recording, string target, MatchAnalysis analysis, CancellationToken ct)
    {
        ArgumentNullException.ThrowIfNull(recording);
        new RecordingErrors(recording.Name).Wrap(() =>
        {
            var file = recording.File;
            if (file.Layout.Problem is { } damage)
            {
                throw damage;
            }

            using var sink = new FileSink(target);
            using var mcap = new McapWriter(sink, file.Layout.Header);
            var copy = new ChunkCopy(file, mcap);
            copy.CopyAttachmentsAndMetadata(except: RecordingFormat.Analysis);
            file.Chunks.FreeUnreferenced();
            foreach (var region in file.Layout.Regions)
            {
                ct.ThrowIfCancellationRequested();
                copy.Load(region);
                copy.Add(region);
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
