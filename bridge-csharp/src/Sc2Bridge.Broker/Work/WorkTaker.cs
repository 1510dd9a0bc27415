using System.Collections.Concurrent;
using System.Text;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>
/// Takes jobs from the queue, runs a limited number at the same time, and acknowledges each job when it is done. If a worker dies or
/// loses the connection, the broker delivers its jobs to another worker.
/// </summary>
/// <param name="broker">The broker. This class reconnects if the connection is lost.</param>
/// <param name="worker">The worker's name.</param>
/// <param name="maxJobs">The maximum number of jobs that run at the same time.</param>
/// <param name="work">Runs a job. The second argument is the number of failures of the job so far. Returns null for a complete result, else the
/// reason of the failure. A <see cref="ResultStoreException"/> does not count as a failure of the job.</param>
/// <param name="warn">Called with warnings about the broker.</param>
public sealed class WorkTaker(
    BrokerAddress broker, string worker, int maxJobs,
    Func<Job, int, CancellationToken, Task<string?>> work, Action<string> warn)
{
    private const int LongestReason = 1000;

    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    /// <summary>The pause after a failure of the result store. Without the pause, the job would be redelivered in a fast loop.</summary>
    internal TimeSpan StorePause { get; init; } = TimeSpan.FromSeconds(10);

    // The running jobs. If the connection was lost, the broker redelivers a job that still runs here. Such a job is not started twice.
    private readonly ConcurrentDictionary<string, Lazy<Task<string?>>> _running = new(StringComparer.Ordinal);

    /// <summary>Runs jobs until the token is cancelled. Running jobs are then stopped and return to the queue.</summary>
    /// <exception cref="BrokerException">The broker refuses the worker, or cannot be reached at the start.</exception>
    public async Task RunAsync(CancellationToken stop)
    {
        var (hasBegun, hasWarned) = (false, false);
        while (!stop.IsCancellationRequested)
        {
            try
            {
                var why = await broker.RunConnectedAsync(
                    worker, connection => ConsumeAsync(connection, () => (hasBegun, hasWarned) = (true, false), stop), stop);
                warn($"the broker delivers no more jobs ({why}): connecting again");
            }
            catch (OperationCanceledException) when (stop.IsCancellationRequested)
            {
                break;
            }
            catch (BrokerException error) when (hasBegun)
            {
                // The user gets one warning for each outage.
                if (!hasWarned)
                {
                    hasWarned = true;
                    warn($"{error.Message}: trying again");
                }
            }

            await Task.Delay(Pause, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await ((Task)Task.WhenAll(_running.Values.Select(job => job.Value))).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    // Returns why the broker ended the delivery.
    private async Task<string> ConsumeAsync(IConnection connection, Action onBegun, CancellationToken stop)
    {
        await using var channel = await WorkQueues.OpenChannelAsync(connection, stop);
        await WorkQueues.DeclareAsync(channel, stop);
        await channel.BasicQosAsync(0, (ushort)maxJobs, global: false, stop);
        var ended = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var handlers = new ConcurrentDictionary<ulong, Task>();
        var consumer = new AsyncEventingBasicConsumer(channel);
        consumer.ReceivedAsync += (_, delivery) =>
        {
            // The body is copied, because the library reuses the memory of the body when this handler returns.
            var (tag, body, properties) = (delivery.DeliveryTag, delivery.Body.ToArray(), delivery.BasicProperties);
            handlers[tag] = Task.Run(
                async () =>
                {
                    await HandleDeliveryAsync(channel, tag, body, properties, stop);
                    handlers.TryRemove(tag, out Task? _);
                },
                CancellationToken.None);
            return Task.CompletedTask;
        };
        consumer.UnregisteredAsync += (_, _) => Task.FromResult(ended.TrySetResult("the queue was deleted"));
        channel.ChannelShutdownAsync += (_, why) => Task.FromResult(ended.TrySetResult(why.ReplyText));
        await channel.BasicConsumeAsync(WorkQueues.JobQueue, autoAck: false, consumer, stop);
        onBegun();
        try
        {
            return await ended.Task.WaitAsync(stop);
        }
        catch (OperationCanceledException)
        {
            // Jobs that have just finished are acknowledged before the channel closes.
            await Task.WhenAll(handlers.Values);
            throw;
        }
    }

    private async Task HandleDeliveryAsync(
        IChannel channel, ulong tag, byte[] body, IReadOnlyBasicProperties properties, CancellationToken stop)
    {
        try
        {
            var failures = WorkQueues.FailureCount(properties);
            string? problem;
            var (isJob, addedFailures) = (false, 0);
            try
            {
                var job = Jobs.ParseJob(body);
                (isJob, addedFailures) = (true, 1);
                var running = _running.GetOrAdd(
                    job.Id, _ => new Lazy<Task<string?>>(() => Task.Run(() => work(job, failures, stop), CancellationToken.None)));
                try
                {
                    problem = await running.Value;
                }
                finally
                {
                    _running.TryRemove(KeyValuePair.Create(job.Id, running));
                }
            }
            catch (FormatException error) when (!isJob)
            {
                problem = error.Message;
            }
            catch (ResultStoreException error)
            {
                // The job did not fail. The job is published again and not returned to the queue, because the broker limits how often a job is returned.
                (problem, addedFailures) = (error.Message, 0);
                await Task.Delay(StorePause, stop);
            }
#pragma warning disable CA1031 // Any exception is a failure of the job, and the job is acknowledged.
            catch (Exception error) when (!stop.IsCancellationRequested)
#pragma warning restore CA1031
            {
                problem = error.Message;
            }

            if (problem is not null)
            {
                failures += addedFailures;

                // The job is published again, at the end of the queue, before this delivery is acknowledged. If the connection is lost in
                // between, the queue has two jobs with the same id, but they get one result.
                await WorkQueues.PublishAsync(
                    channel,
                    !isJob || failures >= WorkQueues.MaxFailures ? WorkQueues.DeadQueue : WorkQueues.JobQueue,
                    properties.MessageId,
                    body,
                    new Dictionary<string, object?>
                    {
                        [WorkQueues.FailuresHeader] = failures,
                        [WorkQueues.ReasonHeader] = ToHeaderLine(problem),
                        [WorkQueues.WorkerHeader] = worker,
                    },
                    CancellationToken.None);
            }

            await channel.BasicAckAsync(tag, multiple: false, CancellationToken.None);
        }
        catch (OperationCanceledException)
        {
            // The worker was stopped. The job returns to the queue when the channel closes.
        }
        catch (Exception error) when (BrokerAddress.IsBrokerFailure(error))
        {
            // The broker delivers the job again, at once if the channel is still open. If the job was done, the next worker finds its result.
            try
            {
                await channel.BasicNackAsync(tag, multiple: false, requeue: true, CancellationToken.None);
            }
            catch (Exception gone) when (BrokerAddress.IsBrokerFailure(gone))
            {
            }
        }
    }

    // A message header has room for one line.
    private static string ToHeaderLine(string text)
    {
        var line = PlainText.Escape(text);
        return line[..Math.Min(line.Length, LongestReason)];
    }
}
