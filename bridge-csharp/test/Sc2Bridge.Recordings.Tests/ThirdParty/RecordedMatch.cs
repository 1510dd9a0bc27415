using System.Text.Json;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings.Analysis;
using Sc2Bridge.Recordings.Tests.Mcap;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.Streaming;
using Sc2Bridge.Streaming.Logging;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests.ThirdParty;

/// <summary>
/// A match that is recorded as <c>sc2bridge match</c> does it: two perspectives, made-up observations, real ones if available,
/// the step log's rows, and an agent's requests.
/// </summary>
internal sealed class RecordedMatch
{
    private readonly List<(FrameHeader Header, byte[] Bytes)> _frames = [];
    private readonly List<LoggedStep> _rows = [];
    private readonly List<AgentRequest> _requests = [];
    private readonly MatchDescription _description = new();
    private readonly MatchEnd _end = new() { MatchId = TestMatch.Name, Step = 299, Reason = EndReason.Finished };

    public static async Task<RecordedMatch> MakeAsync(string path)
    {
        var made = new RecordedMatch();
        using var match = new TestMatch(announce: false);
        match.Description.GameInfo = new ResponseGameInfo { MapName = "M" };
        match.Description.Data = new ResponseData { Units = { new UnitTypeData { UnitId = 4 } } };
        made._description.MergeFrom(match.Description);
        match.Hub.Events.RequestAnswered += made._requests.Add;
        using var recorder = new MatchRecorder(
            match.Hub, File.Create(path, bufferSize: 0), new RecorderOptions(), Assert.Fail, Assert.Fail);
        using var log = new StepLog(
            match.Hub, TextWriter.Null, new MatchFigures(), CodecLog.Sampled, [],
            new SidePath("steps.csv", null, Assert.Fail), new SidePath("codec log", null, Assert.Fail), row =>
            {
                made._rows.Add(row);
                recorder.Add(row);
            });
        match.Hub.Announce(match.Description, match);
        await made.PlayAsync(match);
        match.Hub.End(made._end);
        await log.Ended;
        await recorder.EndAsync(made._end);
        await match.Hub.Events.FlushAsync();
        return made;
    }

    /// <summary>The expected content.</summary>
    /// <param name="found">A script's output, from which the wall-clock times of the beginning and the end are copied.</param>
    public Contents Contents(JsonElement found)
    {
        var messages = found.GetProperty("indexed").GetProperty("messages");
        var offset = Time(messages.GetProperty("/observation/0")[0]) - (ulong)_frames[0].Header.ObservedNs;
        var begin = (ulong)_frames[0].Header.RequestedNs + offset;
        var end = Time(messages.GetProperty("/match")[1]);
        Assert.InRange(end, begin, begin + 3_600_000_000_000);
        Assert.InRange(
            DateTimeOffset.FromUnixTimeMilliseconds((long)end / 1_000_000),
            DateTimeOffset.UtcNow.AddMinutes(-10),
            DateTimeOffset.UtcNow);

        var contents = new Contents();
        AddSurroundings(contents, begin, end);
        foreach (var (header, bytes) in _frames)
        {
            Add($"/observation/{header.Perspective}", (uint)header.Step, header.ObservedNs, header.RequestedNs, bytes);
        }

        foreach (var row in _rows)
        {
            Add("/step", (uint)row.Record.Step, row.ObservedNs!.Value, row.RequestedNs!.Value, row.Record.ToByteArray());
        }

        for (var count = 0; count < _requests.Count; count++)
        {
            var (asked, record) = _requests[count];
            Add("/request", (uint)count, asked, asked, record.ToByteArray());
        }

        var start = _description.Clone();
        (start.GameInfo, start.Data) = (null, null);
        Add("/match", 0, _frames[0].Header.RequestedNs, _frames[0].Header.RequestedNs, Bytes(new() { Start = start }));
        Add("/match", 1, (long)(end - offset), (long)(end - offset), Bytes(new() { End = _end }));
        return contents;

        void Add(string topic, uint sequence, long logNs, long publishNs, byte[] bytes)
        {
            contents.Add(new Written(
                topic, sequence, (ulong)logNs + offset, (ulong)publishNs + offset, bytes.Length, Spec.Crc(bytes)));
            contents.Parsed++;
        }
    }

    private static byte[] Bytes(MatchRecord record) => record.ToByteArray();

    private static ulong Time(JsonElement row) => ulong.Parse(row[1].GetString()!);

    private async Task PlayAsync(TestMatch match)
    {
        var whole = Observations.AtHand();
        for (var step = 0ul; step < 300; step++)
        {
            foreach (var perspective in new uint[] { 0, 2 })
            {
                var asked = MonotonicClock.NowNs;
                var bytes = step % 3 == 0
                    ? whole[(int)step % whole.Count].Bytes
                    : Observations.Make(new Random((int)step)).ToByteArray();
                var header = new FrameHeader(
                    TestMatch.Name, perspective, step, (uint)step, asked, MonotonicClock.NowNs);
                _frames.Add((header, bytes));
                await match.Hub.Publisher.PublishAsync(Streaming.ObservationFrame.Copy(bytes, header), Ct);
            }

            if (step % 50 == 0)
            {
                await match.Hub.CurrentMatch.RequestAsync(
                    new CallGameRequest { Request = new() { Query = new() } }, "asker", Identity.Anonymous,
                    Ct);
            }
        }
    }

    private byte[] Analysis()
    {
        var analyst = new MatchAnalyst(_description.Data, _description);
        foreach (var (header, bytes) in _frames)
        {
            analyst.Add(header.Perspective, bytes);
        }

        return AnalysisJson.Write(analyst.Finish());
    }

    private void AddSurroundings(Contents contents, ulong begin, ulong end)
    {
        string[] topics = ["/observation/0", "/observation/2", "/step", "/request", "/action", "/match"];
        string[] names = ["ResponseObservation", "StepRecord", "RequestRecord", "ActionRecord", "MatchRecord"];
        contents.Add(
            new Header("sc2bridge", RecordingFormat.Library),
            topics.Zip([1, 1, 2, 3, 4, 5]).Select(topic => new Channel(
                1, (ushort)topic.Second, topic.First, "protobuf", new Dictionary<string, string>())),
            [
                .. names.Select(name => new Schema(
                    1, (name == names[0] ? "SC2APIProtocol." : "sc2bridge.v1.") + name, "protobuf", default)),
            ],
            [
                Attachment("game_info", "ResponseGameInfo", _description.GameInfo),
                Attachment("data", "ResponseData", _description.Data),
                new Attachment(end, end, "analysis", "application/json", Analysis()),
            ],
            [
                new Metadata("sc2bridge", new Dictionary<string, string>
                {
                    ["map"] = "", ["game"] = "StarCraft II", ["game_version"] = "", ["seed"] = "0", ["step_size"] = "0",
                    ["rate"] = "max",
                }),
                new Metadata("sc2bridge.topics", topics.Index().ToDictionary(one => $"{one.Index + 1}", one => one.Item)),
            ]);

        Attachment Attachment(string name, string message, IMessage data) => new(
            begin, begin, name, $"application/protobuf; proto=SC2APIProtocol.{message}", data.ToByteArray());
    }
}
