using SC2APIProtocol;

namespace Sc2Bridge.Functional.Tests;

/// <summary>Messages of the real game, sent through the whole program to real agents.</summary>
public sealed class RealMessageTests
{
    [Fact]
    [Trait("ThirdParty", "real messages")]
    [Trait("Needs", "real")]
    public async Task Every_real_observation_reaches_Python_as_the_game_sent_it()
    {
        var files = SharedFolder.RealFiles("observation.pb");
        Assert.Contains(files, file => new FileInfo(file).Length > 700_000);
        using var folder = new MatchFolder();
        var heard = Directory.CreateDirectory(Path.Combine(folder.Path, "heard")).FullName;
        string[] ways =
        [
            "grpc", "proto", "json", "shm", "grpc+group-zstd", "proto+group-zstd", "json+group-zstd", "grpc+zstd", "json+zstd",
        ];
        using var match = folder.Match(
            [
                "--observations", SharedFolder.Folder("data/real"),
                .. ways.SelectMany(way => (string[])["--agent", $"collector:Collector@{way}"]),
            ],
            [("COLLECT", heard)]);
        (await match.EndAsync()).Well();

        foreach (var (number, way) in ways.Index())
        {
            var agent = $"collector-{number + 1}-{way}";
            Func<byte[], byte[], bool> same = way.StartsWith("json", StringComparison.Ordinal) ? SameMessage : SameBytes;
            var received = Directory.GetFiles(Path.Combine(heard, agent)).Order(StringComparer.Ordinal).ToArray();
            Assert.Equal(files.Count, received.Length);
            foreach (var (file, copy) in files.Zip(received))
            {
                Assert.True(
                    same(await File.ReadAllBytesAsync(file, Ct), await File.ReadAllBytesAsync(copy, Ct)),
                    $"{file} came to {agent} as another message");
            }
        }

        var steps = folder.Steps();
        steps.Complete(files.Count);
        Assert.Equal(
            files.Select(file => (double?)new FileInfo(file).Length),
            steps.Rows.Select(row => LogTable.Number(row, "proto_bytes")));
    }

    private static bool SameBytes(byte[] one, byte[] other) => one.AsSpan().SequenceEqual(other);

    private static bool SameMessage(byte[] one, byte[] other) =>
        ResponseObservation.Parser.ParseFrom(one).Equals(ResponseObservation.Parser.ParseFrom(other));
}
