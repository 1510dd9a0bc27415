
namespace Sc2Bridge.Bench.Tests;

/// <summary>A comparison that was stopped is gone on with, wherever its file was cut off.</summary>
public sealed class RunFileTests : IDisposable
{
    private static readonly Machine Machine = new("a processor", 2, "a system", "a runtime", "a GC", "Release", 0.5);
    private static readonly ComparisonPlan Plan = ComparisonPlan.Quick(new Means(1, Unix: true, Memory: true, []));

    private readonly string _path = Path.GetTempFileName();

    [Fact]
    [Trait("Suite", "Slow")]
    public void Cut_off_anywhere_it_has_the_whole_runs_before_that_and_takes_more()
    {
        var header = RunHeader.Of(Machine, "a match", Plan);
        var runs = StatisticsTests.Runs([1, 2, 3]);
        using (var file = RunFile.Open(_path, header))
        {
            runs.ForEach(file.Add);
        }

        var whole = File.ReadAllBytes(_path);
        var lengths = Enumerable.Range(0, whole.Length + 1);
        foreach (var length in lengths.Where(length => length % 7 == 0 || whole.Length - length < 3))
        {
            File.WriteAllBytes(_path, whole[..length]);
            var expected = Math.Max(0, whole.Take(length).Count(letter => letter == '\n') - 1);
            using (var file = RunFile.Open(_path, header))
            {
                Assert.Equal(runs.Take(expected).Select(run => run.Round), file.Runs.Select(run => run.Round));
                file.Add(runs[0]);
            }

            using var again = RunFile.Open(_path, header with { Machine = Machine with { LoadAtStart = 3 } });
            Assert.Equal(expected + 1, again.Runs.Count);
        }
    }

    [Fact]
    public void What_was_measured_otherwise_is_not_mixed_into_it()
    {
        var header = RunHeader.Of(Machine, "a match", Plan);
        RunFile.Open(_path, header).Dispose();
        Refused("another machine", header with { Machine = Machine with { Cores = 64 } });
        Refused("another match (a match)", header with { Match = "another" });
        Refused("other rounds or seconds", header with { Seconds = 9 });
        Refused("other measurements", header with { Measurements = [] });
    }

    [Theory]
    [InlineData("something")]
    [InlineData("{}")]
    [InlineData("null")]
    [InlineData("{\"machine\":null,\"match\":null,\"rounds\":1,\"seconds\":1,\"warm_up_seconds\":1,\"measurements\":null}")]
    public void What_is_none_of_its_lines_is_refused_and_stays(string line)
    {
        var header = RunHeader.Of(Machine, "a match", Plan);
        File.WriteAllText(_path, line + "\n");
        Refused("something else than runs of a comparison", header);
        Assert.Equal(line + "\n", File.ReadAllText(_path));

        File.Delete(_path);
        RunFile.Open(_path, header).Dispose();
        File.AppendAllText(_path, line + "\n");
        Refused("something else than runs of a comparison", header);
    }

    [Fact]
    public void A_run_takes_the_place_of_the_same_one_that_failed()
    {
        var header = RunHeader.Of(Machine, "a match", Plan);
        var runs = StatisticsTests.Runs([1, 2]);
        using (var file = RunFile.Open(_path, header))
        {
            file.Add(runs[0] with { Problem = "it was killed" });
            file.Add(runs[1]);
            file.Add(runs[0]);
            Assert.Equal([null, null], file.Runs.Select(run => run.Problem));
        }

        using var again = RunFile.Open(_path, header);
        Assert.Equal([runs[1].Round, runs[0].Round], again.Runs.Select(run => run.Round));
        Assert.All(again.Runs, run => Assert.Null(run.Problem));
    }

    public void Dispose() => File.Delete(_path);

    private void Refused(string words, RunHeader header)
    {
        var refusal = Assert.Throws<CommandException>(() => RunFile.Open(_path, header));
        Assert.Contains(words, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("--out", refusal.Message, StringComparison.Ordinal);
    }
}
