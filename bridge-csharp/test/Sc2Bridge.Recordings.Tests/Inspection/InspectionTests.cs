using Sc2Bridge.Recordings.Tests.Mcap;
using Sc2Bridge.Recordings.Writing;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings.Tests.Inspection;

/// <summary>The findings of an inspection in complete and damaged recordings.</summary>
public sealed class InspectionTests : IDisposable
{
    private static readonly SampleRecording Sample = SampleRecording.Make(150, 5000, 1, 2);

    private readonly string _file = Path.GetTempFileName();

    public void Dispose() => File.Delete(_file);

    [Fact]
    public void A_whole_recording_is_told_of_in_full()
    {
        var report = Inspect(Sample.Bytes);
        Assert.Empty(report.Damage);
        Assert.Equal((Sample.Bytes.Length, RecordingFormat.Library), (report.FileBytes, report.Library));
        Assert.Equal(("m1", "Cinder Fortress LE", true), (report.Match.Name, report.Match.Map, report.Match.Simulated));
        Assert.Equal(("max", "finished"), (report.Match.Rate, report.Match.Ended));
        Assert.Equal([1, 2], report.Match.Perspectives);
        Assert.Equal("VeryHard", Assert.Single(report.Match.Players).Difficulty);
        Assert.Equal((300, 0UL, 152UL), (report.Length.Observations, report.Length.FirstStep, report.Length.LastStep));
        Assert.Equal((0U, 304U), (report.Length.FirstLoop, report.Length.LastLoop));
        Assert.Equal(304 / 22.4, report.Length.GameSeconds, 6);
        Assert.Equal(2023, report.Length.Began!.Value.Year);
        Assert.Equal(new(RecordingFormat.GameInfo, Sample.GameInfo.CalculateSize()), Assert.Single(report.Attachments));
    }

    [Fact]
    public void Sizes_by_channel_come_to_those_of_the_chunks()
    {
        var report = Inspect(Sample.Bytes);
        Assert.Equal(["/observation/1", "/observation/2", "/step", "/match"], report.Channels.Select(one => one.Topic));
        Assert.Equal([150, 150, 150, 3], report.Channels.Select(one => one.Messages));
        foreach (var perspective in (uint[])[1, 2])
        {
            Assert.Equal(
                Sample.Observations.Where(seen => seen.Perspective == perspective).Sum(seen => seen.Length),
                report.Channels[(int)perspective - 1].RawBytes);
        }

        // Only the headers of the records are left.
        Assert.Equal(Sample.Layout.Regions.Count, report.Chunks.Count);
        Assert.InRange(report.Channels.Sum(one => one.RawBytes), 0.7 * report.Chunks.RawBytes, report.Chunks.RawBytes);
        Assert.InRange(
            report.Channels.Sum(one => one.StoredBytes), 0.7 * report.Chunks.StoredBytes, report.Chunks.StoredBytes);
        Assert.Equal(report.Chunks.RawBytes / (double)report.Chunks.StoredBytes, report.Chunks.TimesFewer);
    }

    [Fact]
    public void Steps_are_measured_over_the_match_and_along_it()
    {
        var report = Inspect(Sample.Bytes);
        var answer = Assert.Single(report.Measures, row => row.Name == "the game's answer");
        Assert.Equal(("us", 300L, 1000.0, 1000.0), (answer.Unit, answer.Measured, answer.P99, answer.TrimmedMean));
        var size = Assert.Single(report.Measures, row => row.Name == "protobuf");
        Assert.Equal(
            (Sample.Observations.Min(seen => seen.Length), Sample.Observations.Max(seen => seen.Length)),
            ((int)size.Min, (int)size.Max));
        Assert.Equal(Sample.Observations.Average(seen => seen.Length), size.Mean, 6);

        // There are few steps, so each has its own place.
        Assert.Equal(Sample.Observations.Select(seen => seen.Step).Distinct().Order(), report.Along.Steps);
        Assert.Equal(report.Along.Steps.Select(step => (uint?)step * SampleRecording.StepSize), report.Along.GameLoops);
        var along = Assert.Single(report.Along.Series, series => series.Name == "protobuf");
        var steps = Sample.Observations.GroupBy(seen => seen.Step).OrderBy(step => step.Key);
        Assert.Equal(steps.Select(step => (double?)step.Max(seen => seen.Length)), along.Max);
    }

    [Fact]
    public void A_long_match_is_drawn_together_along_it()
    {
        var sample = SampleRecording.Make(1500, 20_000);
        var report = Inspect(sample.Bytes);
        Assert.InRange(report.Along.Steps.Count, 128, 256);
        var along = Assert.Single(report.Along.Series, series => series.Name == "protobuf");
        Assert.Equal(sample.Observations.Max(seen => seen.Length), along.Max.Max());
        Assert.Equal(sample.Observations.Average(seen => seen.Length), along.Mean.Average()!.Value, 10.0);
    }

    [Fact]
    public void Missing_observations_are_gaps_whether_the_recording_tells_of_them_or_not()
    {
        // The recording's records are about perspective 0 only.
        var gaps = Inspect(Sample.Bytes).Gaps;
        var told = new GapRow(0, 30, 3, "the disk was too slow");
        Assert.Equal([told, new GapRow(1, 30, 3, null), new GapRow(2, 30, 3, null)], gaps);
        Assert.Equal([told], Inspect(SampleRecording.Make().Bytes).Gaps);
    }

    [Theory]
    [InlineData(McapLimits.Gaps, 0)]
    [InlineData(McapLimits.Gaps + 1, 1)]
    public void More_gaps_than_are_listed_are_reported(int gaps, int lines)
    {
        var sink = new MemorySink();
        using (var writer = new RecordingWriter(sink, new MatchDescription { Perspectives = { 1 } }, 0, 0))
        {
            for (var gap = 0; gap < gaps; gap++)
            {
                writer.Add(new Gap { Perspective = 1, FirstStep = (ulong)gap, Steps = 1 }, gap);
            }

            writer.Finish(null, gaps);
        }

        var report = Inspect(sink.Bytes);
        Assert.Equal(McapLimits.Gaps, report.Gaps.Count);
        Assert.Equal(lines, report.Damage.Count(line => line.Contains("it has more than 10000 gaps", StringComparison.Ordinal)));
        Assert.Equal(lines, report.Damage.Count);
    }

    [Fact]
    public void Damage_is_reported_line_by_line_and_skipped()
    {
        var bytes = Sample.Bytes.ToArray();
        var places = Sample.Layout.Regions;
        foreach (var damaged in (int[])[2, 5])
        {
            bytes[places[damaged].Offset + 90] ^= 1;
        }

        var attachment = Sample.Layout.Attachments[0];
        bytes[attachment.Offset + attachment.Length - 6] ^= 1;
        var report = Inspect(bytes);
        Assert.Equal(3, report.Damage.Count);
        Assert.All(report.Damage, line => Assert.StartsWith($"{_file}: ", line, StringComparison.Ordinal));
        Assert.All(report.Damage, line => Assert.EndsWith(
            $"; sc2bridge inspect {_file} --repair OUT writes a clean file", line, StringComparison.Ordinal));
        Assert.Equal(places.Count - 2, report.Chunks.Count);
        Assert.Equal("finished", report.Match.Ended);
        Assert.Contains(report.Gaps, gap => gap.Perspective == 1 && gap.FirstStep != 30);
    }

    [Fact]
    [Trait("Suite", "Slow")]
    public void Any_byte_that_was_changed_is_seen()
    {
        var random = new Random(41);
        for (var turn = 0; turn < 400; turn++)
        {
            var bytes = Sample.Bytes.ToArray();
            bytes[random.Next(bytes.Length)] ^= (byte)random.Next(1, 256);
            File.WriteAllBytes(_file, bytes);
            try
            {
                Assert.NotEmpty(RecordingInspection.Inspect(_file, CancellationToken.None).Damage);
            }
            catch (RecordingException refused)
            {
                Assert.DoesNotContain('\n', refused.Message);
            }
        }
    }

    private InspectionReport Inspect(byte[] bytes)
    {
        File.WriteAllBytes(_file, bytes);
        return RecordingInspection.Inspect(_file, CancellationToken.None);
    }
}
