namespace Sc2Bridge.Recordings.Tests;

/// <summary>The C# example of docs/guide/recordings.md. agent-python/tests/test_documents.py checks that it has these lines.</summary>
public sealed class GuideTests
{
    private static readonly string _path = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");

    [Fact]
    public void The_example_of_the_guide_reads_from_a_game_loop_on()
    {
        List<(ulong Step, int Bytes)> used = [];
        void Use(ulong step, ReadOnlySpan<byte> bytes) => used.Add((step, bytes.Length));

        using var recording = RecordingReader.Open(_path);
        using var reader = recording.Observations();      // of all perspectives, in order of arrival
        reader.SeekLoop(400);
        while (reader.Next(out var observation))
        {
            Use(observation.Step, observation.Bytes.Span);  // the game's bytes, valid until the next call
        }

        Assert.InRange(used.Count, 50, 149);
        Assert.All(used, each => Assert.True(each.Bytes > 0));
    }
}
