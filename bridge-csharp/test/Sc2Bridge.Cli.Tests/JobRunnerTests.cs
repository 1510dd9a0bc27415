using Sc2Bridge.Broker.Work;
using Sc2Bridge.Terminal;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Cli.Tests;

/// <summary>What becomes a job's result, and what does not.</summary>
public sealed class JobRunnerTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("sc2bridge-job-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_recording_with_a_gap_is_no_result()
    {
        File.WriteAllBytes(Path.Combine(_folder, "match.mcap"), SampleRecording.Make().Bytes);
        var problem = Assert.Throws<CommandException>(() => JobRunner.ReadFigures(new JobResult(), _folder));
        Assert.Equal("the recording of the job lacks 3 observations from step 30 on: the disk was too slow", problem.Message);
    }

    [Theory]
    [InlineData(2, null)]
    [InlineData(1000, "the store is full")]
    public async Task A_result_that_the_store_refuses_is_published_again_but_not_for_ever(int refusals, string? problem)
    {
        using var store = new RefusingStore(refusals);
        await using var runner = new JobRunner(store, "worker", TimeSpan.FromMinutes(1), new GameOptions(), [])
        {
            UploadPause = TimeSpan.Zero,
        };
        Assert.Equal(problem, await runner.PublishAsync(_folder, new JobResult(), Ct));
        Assert.Equal(3, store.Asked);
    }

    private sealed class RefusingStore(int refusals) : ResultStore("worker")
    {
        public int Asked { get; private set; }

        public override Task PublishAsync(string folder, JobResult result, CancellationToken ct) =>
            ++Asked <= refusals ? throw new ResultStoreException("the store is full") : Task.CompletedTask;

        public override Task CheckAsync(CancellationToken ct) => throw new NotSupportedException();

        public override Task<bool> HasResultAsync(string id, CancellationToken ct) => throw new NotSupportedException();

        public override Task<string> BeginResultAsync(string id, CancellationToken ct) => throw new NotSupportedException();

        public override Task DeleteUnfinishedAsync(string id, CancellationToken ct) => throw new NotSupportedException();

        public override Task DeleteFolderAsync(string folder) => throw new NotSupportedException();

        public override Task<(IReadOnlyList<JobResult> Results, int Begun)> ReadAllAsync(CancellationToken ct) =>
            throw new NotSupportedException();

        public override void Dispose()
        {
        }
    }
}
