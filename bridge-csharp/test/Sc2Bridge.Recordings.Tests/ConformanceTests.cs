using System.Security.Cryptography;
using System.Text.Json;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Recordings.Tests;

/// <summary>
/// Every reader must read the files of <c>recordings/</c>. The JSON file next to each recording lists its content
/// (recordings/README.md). agent-python/tests/test_recording_fixtures.py is the same test for Python.
/// </summary>
public sealed class ConformanceTests
{
    public static TheoryData<string> Files() =>
        [.. Directory.EnumerateFiles(Folder(), "*.mcap").Select(file => Path.GetFileNameWithoutExtension(file)!).Order()];

    [Theory]
    [MemberData(nameof(Files))]
    public void A_recording_holds_what_is_said_of_it(string name)
    {
        var file = Path.Combine(Folder(), name + ".mcap");
        using var said = JsonDocument.Parse(File.ReadAllBytes(Path.ChangeExtension(file, ".json")));
        var (error, frames) = (said.RootElement.GetProperty("error").GetString(), said.RootElement.GetProperty("frames"));
        if (error == "foreign")
        {
            var refusal = Assert.Throws<RecordingException>(() =>
            {
                using var other = RecordingReader.Open(file);
                using var none = other.Observations(0);
            });
            Assert.Contains(file, refusal.Message, StringComparison.Ordinal);
            return;
        }

        using var recording = RecordingReader.Open(file);
        Assert.Equal(
            frames.EnumerateObject().Select(perspective => uint.Parse(perspective.Name)), recording.Perspectives);
        foreach (var perspective in frames.EnumerateObject())
        {
            var number = uint.Parse(perspective.Name);
            var expected = Facts(perspective.Value);
            using var reader = recording.Observations(number);
            var (given, failure) = ReadAll(reader);
            Assert.Equal(expected, given);
            Assert.Equal(error == "damaged", failure is not null);
            if (error == "truncated")
            {
                Assert.Contains("--repair", recording.Problem, StringComparison.Ordinal);
            }

            List<Fact> behind = said.RootElement.GetProperty("behind").TryGetProperty(perspective.Name, out var facts)
                ? Facts(facts)
                : [];
            if (behind.Count > 0)
            {
                reader.SeekIndex(recording.Count(number) - behind.Count);
                Assert.Equal(behind, ReadAll(reader).Given);
            }

            // A seek finds the messages before and after the damage, and reports a seek into it.
            foreach (var sought in expected.Concat(behind).Reverse())
            {
                using var fresh = recording.Observations(number);
                fresh.SeekLoop(sought.GameLoop);
                Assert.True(fresh.Next(out var found));
                Assert.Equal(sought, Fact.Of(found));
            }

            if (error == "damaged")
            {
                Assert.Throws<RecordingException>(() => reader.SeekLoop(expected[^1].GameLoop + 1));
            }
        }

        if (said.RootElement.TryGetProperty("players", out var players))
        {
            Assert.Equal(
                players.EnumerateArray().Select(player => string.Join(' ', player.EnumerateArray())),
                recording.Description.Players.Select(
                    player => $"{player.PlayerId} {player.Kind.Words()} {player.Race.Words()} {player.Difficulty}"));
            Assert.NotEqual(V1.EndReason.Unspecified, recording.ReadEnd()!.Reason);
        }

        if (error != "damaged")
        {
            Assert.Equal(
                said.RootElement.GetProperty("gaps").EnumerateArray().Select(gap => gap.GetProperty("reason").GetString()),
                recording.ReadGaps().Select(gap => gap.Reason));
            Assert.Equal(said.RootElement.GetProperty("end").GetString(), recording.ReadEnd()?.Words());
        }
    }

    private static (List<Fact> Given, RecordingException? Failure) ReadAll(ObservationReader reader)
    {
        var given = new List<Fact>();
        try
        {
            while (reader.Next(out var observation))
            {
                given.Add(Fact.Of(observation));
            }
        }
        catch (RecordingException failure)
        {
            return (given, failure);
        }

        return (given, null);
    }

    private static List<Fact> Facts(JsonElement frames) =>
    [
        .. frames.EnumerateArray().Select(frame => new Fact(
            frame[0].GetUInt64(), frame[1].GetUInt32(), frame[2].GetInt32(), frame[3].GetString()!)),
    ];

    private static string Folder()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            var recordings = Path.Combine(folder.FullName, "recordings");
            if (File.Exists(Path.Combine(recordings, "sample.mcap")))
            {
                return recordings;
            }
        }

        throw new DirectoryNotFoundException("There is no folder recordings above the tests.");
    }

    private sealed record Fact(ulong Step, uint GameLoop, int Length, string Sha256)
    {
        public static Fact Of(in RecordedObservation observation) => new(
            observation.Step, observation.GameLoop, observation.Bytes.Length,
            Convert.ToHexStringLower(SHA256.HashData(observation.Bytes.Span)));
    }
}
