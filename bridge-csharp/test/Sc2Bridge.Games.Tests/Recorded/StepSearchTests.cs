using Sc2Bridge.Games;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Games.Tests.Recorded;

public sealed class StepSearchTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Every_step_is_found_from_before_and_behind(int perspectives)
    {
        var sample = SampleRecording.Make(
            steps: 70, chunkSize: 3000, perspectives: [.. Enumerable.Range(0, perspectives).Select(one => (uint)one)]);
        ulong[] steps = [.. sample.Observations.Select(seen => seen.Step).Distinct().Order()];
        Assert.Equal(70, steps.Length);
        using var recording = RecordingReader.Open(new MemoryBytes(sample.Bytes));
        using var search = new StepSearch(recording);
        Assert.Equal(new FoundStep(0, 0), search.First());
        Assert.Equal(new FoundStep(72, 144), search.Last());
        for (var step = 0ul; step < 80; step++)
        {
            Assert.Equal(Of(steps.Where(one => one >= step)), search.AtOrAfterStep(step));
            Assert.Equal(Of(steps.Where(one => one * 2 >= step)), search.AtOrAfterLoop((uint)step));
            Assert.Equal(Of(steps.Where(one => one < step).Reverse()), search.BeforeStep(step));
        }

        Assert.Equal(new FoundStep(72, 144), search.BeforeStep(uint.MaxValue));
        static FoundStep? Of(IEnumerable<ulong> steps) =>
            steps.Select(step => (FoundStep?)new FoundStep(step, (uint)step * 2)).FirstOrDefault();
    }

    [Fact]
    public void Of_one_that_is_damaged_at_its_end_the_last_step_is_the_last_before_that()
    {
        var sample = SampleRecording.Make(steps: 200, chunkSize: 3000);
        var places = sample.Layout.Regions;
        for (var back = 1; back < 6; back++)
        {
            var damaged = (byte[])sample.Bytes.Clone();
            for (var place = places.Count - back; place < places.Count; place++)
            {
                damaged[places[place].Offset + 60] ^= 0xFF;
            }

            var whole = SampleRecording.ReadAll(damaged).Given;
            using var recording = RecordingReader.Open(new MemoryBytes(damaged));
            using var search = new StepSearch(recording);
            Assert.Equal(whole[^1].Step, search.Last()!.Value.Step);
        }
    }
}
