using System.Buffers;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Simulator;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Matches on new versions of the game: each match has another version.</summary>
public sealed class PatchDayTests : MatchFolderTests
{
    private const int Steps = 4;

    [Theory]
    [InlineData(2)]
    [InlineData(1000, Traits = ["Suite", "Long"])]
    public async Task Newer_versions_are_streamed_read_recorded_and_exported(int matches)
    {
        var options = new SimulatorOptions { PatchDay = 1 };
        var answers = new AnswerLog(new SimulatedRequestHandler(options));
        await using var game = await GameApiServer.StartAsync(answers, options, null, Ct);
        string[] agents = ["grpc", "json", "proto+columns+group-zstd", "json+columns", "shm+columns"];
        var configuration = Path.Combine(Folder.Path, "patch.toml");
        await File.WriteAllTextAsync(configuration, "show-cloaked = true", Ct);
        using var match = Folder.Match(
            [
                "--config", configuration, "--attach", $"127.0.0.1:{game.Port}", "--games", $"{matches}", "--steps", $"{Steps}", "--step-size", "250", "--observe", "1",
                "--feature-layers", "40x40,32x32", "--policy", "lockstep",
                .. agents.SelectMany(transport => new[] { "--agent", $"patch_reader:Reader@{transport}" }),
            ]);
        for (var played = 20; played < matches; played += 20)
        {
            // A wait has a limit, and 1,000 matches take longer.
            await match.UntilAsync(() => Directory.Exists(FolderOf(played)));
        }

        var ended = await match.EndAsync();
        ended.Well();
        Assert.Contains($"{matches} games, 0 aborted", ended.Output, StringComparison.Ordinal);
        var told = Regex.Matches(ended.Told, @$"read {matches * Steps} frames and (\d+ units of unknown types)");
        Assert.Equal(agents.Length, told.Count);
        var unknown = Assert.Single(told.Select(line => line.Groups[1].Value).Distinct());
        Assert.NotEqual("0 units of unknown types", unknown);
        for (var number = 1; number <= matches; number++)
        {
            AssertRecorded(Path.Combine(FolderOf(number), "match.mcap"), answers.Matches[number - 1]);
        }

        var exported = await RunAsync("export", Folder.Out, "--parquet", In("parquet"), "--arrow", In("arrow"));
        Assert.Contains($"{matches} exported, 0 were there, 0 failed", exported, StringComparison.Ordinal);
        using var read = BridgeProcess.Start([MatchFolder.Python, Path.Combine(BridgeProcess.AgentFolder, "patch_recordings.py"), Folder.Out]);
        var recorded = await read.EndAsync();
        recorded.Well();
        Assert.Contains($"{matches} recordings, {matches * Steps} frames, {unknown}", recorded.Output, StringComparison.Ordinal);
        var recording = Path.Combine(FolderOf(2), "match.mcap");
        await RunAsync("inspect", recording);
        await RunAsync("inspect", recording, "--foxglove", In("scene.mcap"));
        await RunAsync("replay", recording, "--out", In("replay"), "--grpc", "127.0.0.1:0", "--web", "127.0.0.1:0", "--no-agents");
    }

    private static async Task<string> RunAsync(params IEnumerable<string> words)
    {
        using var program = BridgeProcess.Start(words);
        var ended = await program.EndAsync();
        ended.Well();
        return ended.Output;
    }

    private string In(string name) => Path.Combine(Folder.Path, name);

    private string FolderOf(int game) => Path.Combine(Folder.Out, $"game-{game:000}");

    // With all unknown content. The bridge parses and serializes game info and data, so these may have another order of fields.
    private static void AssertRecorded(string file, Answers answers)
    {
        using var recording = RecordingReader.Open(file);
        Assert.Null(recording.Problem);
        Assert.Equal(Steps, answers.Observations.Count);
        Assert.Equal(answers.Observations, RecordingTests.Observations(recording, 1).Select(observation => Hash(observation.Bytes)));
        Assert.Equal(answers.GameInfo, Hash(recording.ReadGameInfo()!.ToByteArray()));
        Assert.Equal(answers.Data, Hash(recording.ReadData()!.ToByteArray()));
    }

    private static string Hash(ReadOnlySpan<byte> bytes) => Convert.ToHexString(SHA256.HashData(bytes));

    /// <summary>What the game answered in one match, as hashes.</summary>
    private sealed class Answers
    {
        public List<string> Observations { get; } = [];

        public string? GameInfo { get; set; }

        public string? Data { get; set; }
    }

    /// <summary>Keeps the answers of each match.</summary>
    private sealed class AnswerLog(SimulatedRequestHandler game) : IRequestHandler
    {
        public List<Answers> Matches { get; } = [];

        public Task Failure => game.Failure;

        public async ValueTask<RequestOutcome> AnswerAsync(Request request, IBufferWriter<byte> response, CancellationToken left)
        {
            var bytes = new ArrayBufferWriter<byte>();
            var outcome = await game.AnswerAsync(request, bytes, left);
            response.Write(bytes.WrittenSpan);
            if (request.CreateGame is not null)
            {
                Matches.Add(new Answers());
            }

            Keep(bytes.WrittenSpan);
            return outcome;
        }

        private void Keep(ReadOnlySpan<byte> response)
        {
            var reader = new WireReader(response);
            while (reader.Next())
            {
                switch (reader.Field)
                {
                    case Response.ObservationFieldNumber:
                        Matches[^1].Observations.Add(Hash(reader.Content));
                        break;
                    case Response.GameInfoFieldNumber:
                        Matches[^1].GameInfo = Hash(ResponseGameInfo.Parser.ParseFrom(reader.Content).ToByteArray());
                        break;
                    case Response.DataFieldNumber:
                        Matches[^1].Data = Hash(ResponseData.Parser.ParseFrom(reader.Content).ToByteArray());
                        break;
                }
            }
        }

        public ValueTask DisposeAsync() => game.DisposeAsync();
    }
}
