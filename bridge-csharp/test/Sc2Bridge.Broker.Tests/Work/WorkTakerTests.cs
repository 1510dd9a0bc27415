using System.Collections.Concurrent;
using RabbitMQ.Client;
using Sc2Bridge.Broker.Work;

namespace Sc2Bridge.Broker.Tests.Work;

/// <summary>Jobs that go through a broker.</summary>
[Trait("Suite", "Slow")]
public sealed class WorkTakerTests(TestBroker server) : IClassFixture<TestBroker>, IAsyncLifetime
{
    // If something never arrives, only this test fails, not the whole run.
    private static readonly TimeSpan HangGuard = TimeSpan.FromMinutes(2);

    private readonly BrokerAddress _broker = server.Address;
    private readonly CancellationTokenSource _end = CancellationTokenSource.CreateLinkedTokenSource(Ct);

    public async ValueTask InitializeAsync()
    {
        server.Require();
        _end.CancelAfter(HangGuard);
        await server.DeleteJobsAsync(_end.Token);
    }

    public ValueTask DisposeAsync()
    {
        _end.Dispose();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Every_job_is_done_while_workers_die()
    {
        const int Count = 40;
        var results = new ConcurrentDictionary<string, int>();
        var taken = 0;
        var done = new TaskCompletionSource();
        await WorkSubmitter.SubmitAsync(_broker, Enumerable.Range(0, Count).Select(Match), _end.Token);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(async number =>
        {
            while (!done.Task.IsCompleted)
            {
                using var life = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
                _ = done.Task.ContinueWith(_ => life.CancelAsync(), TaskScheduler.Default);
                await new WorkTaker(_broker, $"w{number}", 2, WorkAsync, _ => { }).RunAsync(life.Token);
                _end.Token.ThrowIfCancellationRequested();

                async Task<string?> WorkAsync(Job job, int failures, CancellationToken ct)
                {
                    // One job in five kills its worker.
                    if (Interlocked.Increment(ref taken) % 5 == 0)
                    {
                        await life.CancelAsync();
                        ct.ThrowIfCancellationRequested();
                    }

                    results.AddOrUpdate(job.Id, 1, (_, times) => times + 1);
                    if (results.Count == Count)
                    {
                        done.TrySetResult();
                    }

                    return failures == 0 ? null : "had failed, which none did";
                }
            }
        }));
        Assert.Equal(Enumerable.Range(0, Count).Select(number => Match(number).Id).Order(), results.Keys.Order());
        Assert.True(taken > Count);
        Assert.Empty((await WorkStatus.QueryAsync(_broker, _end.Token)).Dead);
    }

    [Fact]
    public async Task A_job_that_fails_three_times_is_given_up_with_its_reason_and_the_others_are_done()
    {
        var attempts = new ConcurrentQueue<int>();
        var dead = await WorkAsync(
            3,
            (job, failures) =>
            {
                if (job.Match.Seed != 1)
                {
                    return null;
                }

                attempts.Enqueue(failures);
                return $"no {failures + 1}";
            },
            async channel => await channel.BasicPublishAsync("", WorkQueues.JobQueue, "garbage"u8.ToArray(), _end.Token));
        Assert.Equal([0, 1, 2], attempts);
        Assert.Collection(
            dead,
            garbage => Assert.StartsWith("not a valid job: ", garbage.Reason, StringComparison.Ordinal),
            poisoned => Assert.Equal(new DeadJob(Match(1).Id, 3, "no 3", "w"), poisoned));

        // Reading the dead-lettered jobs does not remove them.
        Assert.Equal(dead, (await WorkStatus.QueryAsync(_broker, _end.Token)).Dead);
    }

    [Fact]
    public async Task A_job_whose_result_finds_no_store_goes_back_as_often_as_it_takes_and_has_not_failed()
    {
        var left = WorkQueues.MaxRedeliveries + 1;
        var done = new TaskCompletionSource<int>();
        await WorkSubmitter.SubmitAsync(_broker, [Match(1)], _end.Token);
        using var life = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        var running = new WorkTaker(
            _broker, "w", 1,
            (_, failures, _) =>
            {
                if (left-- > 0)
                {
                    throw new ResultStoreException("the bucket is gone");
                }

                done.TrySetResult(failures);
                return Task.FromResult<string?>(null);
            },
            _ => { })
        {
            StorePause = TimeSpan.Zero,
        }.RunAsync(life.Token);
        Assert.Equal(0, await done.Task.WaitAsync(_end.Token));
        var status = await UntilAsync(status => status.Waiting == 0);
        await life.CancelAsync();
        await running;
        Assert.Empty(status.Dead);
    }

    [Fact]
    public async Task A_job_that_kills_every_worker_is_given_up_by_the_broker()
    {
        await WorkSubmitter.SubmitAsync(_broker, [Match(1)], _end.Token);
        for (var times = 0; times <= WorkQueues.MaxRedeliveries; times++)
        {
            using var life = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
            await new WorkTaker(
                _broker, "w", 1,
                async (_, _, ct) =>
                {
                    await life.CancelAsync();
                    ct.ThrowIfCancellationRequested();
                    return null;
                },
                _ => { }).RunAsync(life.Token);
            _end.Token.ThrowIfCancellationRequested();
        }

        var dead = Assert.Single((await DeadAsync(1)).Dead);
        Assert.Equal((Match(1).Id, "20 workers that took the job crashed, were stopped or lost the connection before the job was done"), (dead.Id, dead.Reason));
    }

    [Fact]
    public async Task A_worker_goes_on_where_its_queue_was_deleted_and_comes_again()
    {
        var warned = new TaskCompletionSource<string>();
        using var life = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        var done = new TaskCompletionSource();
        var running = new WorkTaker(
            _broker, "w", 1,
            (_, _, _) =>
            {
                done.TrySetResult();
                return Task.FromResult<string?>(null);
            },
            line => warned.TrySetResult(line)).RunAsync(life.Token);
        await UntilAsync(status => status.Workers == 1);
        await using (var connection = await _broker.ConnectAsync("test", _end.Token))
        await using (var channel = await WorkQueues.OpenChannelAsync(connection, _end.Token))
        {
            await channel.QueueDeleteAsync(WorkQueues.JobQueue, cancellationToken: _end.Token);
        }

        Assert.Contains("the queue was deleted", await warned.Task.WaitAsync(_end.Token), StringComparison.Ordinal);
        await WorkSubmitter.SubmitAsync(_broker, [Match(1)], _end.Token);
        await done.Task.WaitAsync(_end.Token);
        await life.CancelAsync();
        await running;
    }

    private static Job Match(int seed) => Jobs.WithId(new Job { Match = new MatchJob { Seed = (uint)seed } }, $"m-{seed}");

    // Works until there are as many dead-lettered jobs as invalid ones were sent.
    private async Task<IReadOnlyList<DeadJob>> WorkAsync(
        int count, Func<Job, int, string?> work, Func<IChannel, Task> more)
    {
        await WorkSubmitter.SubmitAsync(_broker, Enumerable.Range(0, count).Select(Match), _end.Token);
        await using (var connection = await _broker.ConnectAsync("test", _end.Token))
        await using (var channel = await WorkQueues.OpenChannelAsync(connection, _end.Token))
        {
            await more(channel);
        }

        using var life = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        var running = new WorkTaker(
            _broker, "w", 2, (job, failures, _) => Task.FromResult(work(job, failures)), _ => { }).RunAsync(life.Token);

        // The broker counts the waiting jobs before the bridge reads the dead-lettered ones.
        var status = await UntilAsync(status => status is { Waiting: 0, Dead.Count: 2 });
        await life.CancelAsync();
        await running;
        return status.Dead;
    }

    private Task<WorkStatus> DeadAsync(int count) => UntilAsync(status => status.Dead.Count == count);

    private async Task<WorkStatus> UntilAsync(Func<WorkStatus, bool> holds)
    {
        while (true)
        {
            var status = await WorkStatus.QueryAsync(_broker, _end.Token);
            if (holds(status))
            {
                return status;
            }

            await Task.Delay(TimeSpan.FromMilliseconds(50), _end.Token);
        }
    }
}
