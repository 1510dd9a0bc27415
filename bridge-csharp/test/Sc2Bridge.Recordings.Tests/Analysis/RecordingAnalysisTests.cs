using System.Text.Json;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Mcap;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;
using static Sc2Bridge.Recordings.Tests.Analysis.MadeMatch;

namespace Sc2Bridge.Recordings.Tests.Analysis;

/// <summary>The analysis in a recording: written when the match ends, or added later, with the same result.</summary>
public sealed class RecordingAnalysisTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-analysis-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task The_analysis_of_the_recorder_is_the_one_that_is_made_afterwards()
    {
        using var recording = RecordingReader.Open(new MemoryBytes(await RecordAsync()));
        Assert.Null(recording.Problem);
        var live = RecordingAnalysis.Read(recording);
        Assert.NotNull(live);
        Assert.Equal(2, Assert.Single(live.Fights).Sides[0].Lost.Single().Count);
        Assert.Equal(new FailedActions("RefusedByBridge", 1, 0), Assert.Single(live.Players[1].Errors));
        Assert.Equal(Text(live), Text(RecordingAnalysis.Analyse(recording, Ct)));
    }

    [Fact]
    public async Task A_match_whose_observations_cannot_be_analysed_is_recorded()
    {
        List<string> told = [];
        var bytes = await RecordAsync(malformed: true, told);
        using var recording = RecordingReader.Open(new MemoryBytes(bytes));
        Assert.Equal((4L, EndReason.Finished), (recording.Count(0), recording.ReadEnd()!.Reason));
        Assert.Null(RecordingAnalysis.Read(recording));
        Assert.StartsWith("the recording gets no analysis: ", Assert.Single(told), StringComparison.Ordinal);
        var error = Assert.Throws<RecordingException>(() => RecordingAnalysis.Analyse(recording, Ct));
        Assert.Contains("the observation of step 2 is malformed", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_the_games_data_there_is_no_analysis()
    {
        using var recording = RecordingReader.Open(new MemoryBytes(SampleRecording.Make().Bytes));
        Assert.Null(RecordingAnalysis.Read(recording));
        var error = Assert.Throws<RecordingException>(() => RecordingAnalysis.Analyse(recording, Ct));
        Assert.Contains("it lacks the game's data", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_copy_has_the_analysis_and_all_that_the_recording_has()
    {
        var sample = SampleRecording.Make(60, 6000, 1, 2);
        var first = Copy(sample.Bytes, Of(MatchAnalyst.Rules - 1));
        using (var old = RecordingReader.Open(new MemoryBytes(first)))
        {
            Assert.Null(RecordingAnalysis.Read(old));
        }

        // The new analysis replaces one that used older rules.
        var second = Copy(first, Of(MatchAnalyst.Rules));
        using var copy = RecordingReader.Open(new MemoryBytes(second));
        Assert.Null(copy.Problem);
        Assert.Equal(Text(Of(MatchAnalyst.Rules)), Text(RecordingAnalysis.Read(copy)!));
        Assert.Equal([RecordingFormat.GameInfo, RecordingFormat.Analysis], copy.File.Layout.Attachments.Select(one => one.Name));
        Assert.Equal(sample.Observations, SampleRecording.ReadAll(second).Given);
        Assert.Equal(
            (sample.End, sample.Gap, 60), (copy.ReadEnd(), copy.ReadGaps().Single(), copy.Steps().Count()));
        foreach (var place in sample.Layout.Regions)
        {
            var chunk = sample.Bytes.AsSpan((int)place.Offset, (int)place.Length);
            Assert.True(second.AsSpan().IndexOf(chunk) > 0, "each chunk is copied as it is");
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("{}")]
    [InlineData("""{"rules":1,"first_loop":0,"last_loop":1,"fights":null,"players":[]}""")]
    [InlineData("""{"rules":1,"first_loop":0,"last_loop":1,"fights":[null],"players":[]}""")]
    [InlineData("""{"rules":1,"first_loop":-1,"last_loop":1,"fights":[],"players":[]}""")]
    [InlineData("""{"rules":1e400,"first_loop":0,"last_loop":1,"fights":[],"players":[]}""")]
    [InlineData("""{"rules":NaN,"first_loop":0,"last_loop":1,"fights":[],"players":[]}""")]
    [InlineData("""{"rules":1,"first_loop":0,"last_loop":1,"fights":[{"first_loop":1,"last_loop":1,"x":1,"y":1,"ahead":1,"sides":[{"player_id":1,"minerals":1,"vespene":1,"damaged":1,"lost":[{"unit_type":1,"name":"\ud800","count":1}]}]}],"players":[]}""")]
    [InlineData("[", 100_000)]
    [InlineData(" ", McapLimits.Analysis)]
    public void An_attachment_that_is_not_an_analysis_is_passed_over(string json, int times = 1)
    {
        var sink = new MemorySink();
        var text = string.Concat(Enumerable.Repeat(json, times)) + (times > McapLimits.Record ? Text(Of(MatchAnalyst.Rules)) : "");
        using (var mcap = new McapWriter(sink, new Header(RecordingFormat.Profile, RecordingFormat.Library)))
        {
            mcap.Add(new Attachment(0, 0, RecordingFormat.Analysis, AnalysisJson.MediaType, System.Text.Encoding.UTF8.GetBytes(text)));
            mcap.Finish();
        }

        using var recording = RecordingReader.Open(new MemoryBytes(sink.Bytes));
        Assert.Null(RecordingAnalysis.Read(recording));
    }

    [Fact]
    public void Bytes_of_any_kind_are_an_analysis_or_not()
    {
        var random = new Random(4);
        var side = new FightSide(1, 50, 25, 1, [new LostUnits(48, "Marine", 1)]);
        var whole = AnalysisJson.Write(Of(MatchAnalyst.Rules) with { Fights = [new Fight(1, 2, 3.5, 4, 1, [side, side])] });
        for (var turn = 0; turn < Cases.Of(5000); turn++)
        {
            var bytes = whole.ToArray();
            for (var changes = random.Next(1, 4); changes > 0; changes--)
            {
                bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            }

            try
            {
                _ = AnalysisJson.Read(bytes.AsSpan(0, random.Next(bytes.Length + 1)));
            }
            catch (JsonException)
            {
                // This is the documented error.
            }
        }
    }

    private static MatchAnalysis Of(int rules) => new(rules, 0, 10, [], []);

    private static string Text(MatchAnalysis analysis) => System.Text.Encoding.UTF8.GetString(AnalysisJson.Write(analysis));

    private byte[] Copy(byte[] recording, MatchAnalysis analysis)
    {
        var target = Path.Combine(_folder, "copy.mcap");
        File.Delete(target);
        using var read = RecordingReader.Open(new MemoryBytes(recording));
        RecordingAnalysis.Copy(read, target, analysis, Ct);
        return File.ReadAllBytes(target);
    }

    private static async Task<byte[]> RecordAsync(bool malformed = false, List<string>? told = null)
    {
        using var match = new TestMatch(announce: false);
        match.Description.Data = Data;
        match.Description.Players.Add(Describe().Players);
        using var file = new MemoryStream();
        using var recorder = new MatchRecorder(
            match.Hub, file, new RecorderOptions { DiskDeadline = TimeSpan.FromMinutes(2), EndDeadline = TimeSpan.FromMinutes(2) },
            line => told?.Add(line), Assert.Fail);
        match.Hub.Announce(match.Description, match);
        await match.PublishAsync(0, Observe(0, Unit(1, 1, 20), Unit(2, 1, 20), Unit(3, 2, 21)));
        await match.PublishAsync(1, Observe(22, Unit(1, 1, 20, 9), Unit(2, 1, 20), Unit(3, 2, 21)));
        if (malformed)
        {
            var damaged = new byte[] { 0x1A, 6, 0x2A, 2, 0x12, 0x7F, 0x48, 44 }; // a unit with a length beyond the message's end
            await match.Hub.Publisher.PublishAsync(
                ObservationFrame.Copy(damaged, new FrameHeader(TestMatch.Name, 0, 2, 44, 1002, 2002)), Ct);
        }
        else
        {
            await match.PublishAsync(2, Observe(44, Unit(3, 2, 21)).WithDead(1, 2));
        }

        await match.PublishAsync(3, Observe(52, Unit(3, 2, 21)));
        using var watcher = match.Hub.Subscribe(new V1.SubscribeRequest { Perspective = 2 }, new SubscriberInfo("watcher", false));
        watcher.Act(new Actions { Step = 3, RequestId = 1, Actions_ = { new SC2APIProtocol.Action() } });
        var end = new MatchEnd { MatchId = TestMatch.Name, Reason = EndReason.Finished };
        match.Hub.End(end);
        await recorder.EndAsync(end);
        return file.ToArray();
    }
}
